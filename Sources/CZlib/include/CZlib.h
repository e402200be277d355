/* zlib's gzip in a form that Swift can call: deflateInit2 is a macro. */
#ifndef PUSHSCOPE_CZLIB_H
#define PUSHSCOPE_CZLIB_H

#include <string.h>
#include <zlib.h>

/* The largest size of a gzip file of so many bytes. */
static inline size_t czlib_bound(size_t count) { return compressBound(count) + 18; }

/* Writes a gzip file (RFC 1952); returns its size, or 0 when it does not fit or memory is lacking. */
static inline size_t czlib_gzip(const unsigned char *bytes, size_t count, unsigned char *into, size_t capacity, int level) {
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  /* 16: a gzip header instead of zlib's. */
  if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  stream.next_in = (unsigned char *)bytes;
  stream.avail_in = (unsigned int)count;
  stream.next_out = into;
  stream.avail_out = (unsigned int)capacity;
  int code = deflate(&stream, Z_FINISH);
  size_t written = stream.total_out;
  deflateEnd(&stream);
  return code == Z_STREAM_END ? written : 0;
}

#endif
