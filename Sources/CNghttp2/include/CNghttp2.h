/* libnghttp2: HTTP/2 frames as bytes. Nothing is wrapped but what Swift cannot import. */
#ifndef PUSHSCOPE_CNGHTTP2_H
#define PUSHSCOPE_CNGHTTP2_H

#include <nghttp2/nghttp2.h>

/* Enumerators of an anonymous union member's flags import as types that uint8_t fields do not compare with. */
static const uint8_t cnghttp2_flag_end_stream = NGHTTP2_FLAG_END_STREAM;
static const uint8_t cnghttp2_flag_ack = NGHTTP2_FLAG_ACK;

#endif
