/* OpenSSL beneath libcurl: ALPN on the context that libcurl makes, and byte counts of a connection. OpenSSL's own headers are
   too large to import and several of these are macros, so Swift sees untyped pointers, as libcurl hands them out. */
#ifndef PUSHSCOPE_COPENSSL_H
#define PUSHSCOPE_COPENSSL_H

#include <stdint.h>

#include "COpenSSLKeys.h"

/* The major version that these calls were compiled for. */
int copenssl_major(void);

/* Offers h2 and http/1.1 by ALPN, refuses renegotiation, lets a write that would block be repeated from other memory, and has
   each SSL_read return after one record. Returns 0, or -1 when OpenSSL has no memory. */
int copenssl_configure(void *context);

/* Copies the protocol that ALPN selected, without an end mark. Returns its length, 0 when none was selected. */
int copenssl_selected_protocol(const void *ssl, char *protocol, int capacity);

/* Bytes that the connection has written to its socket. */
uint64_t copenssl_bytes_written(void *ssl);

/* The connection reads from memory from now on: what copenssl_feed adds. Returns 0, or -1 when OpenSSL has no memory. */
int copenssl_read_from_memory(void *ssl);
int copenssl_feed(void *ssl, const void *bytes, int count);
/* Bytes that it has read from there. */
uint64_t copenssl_bytes_read(void *ssl);
/* It reads from its socket again. */
void copenssl_read_from_socket(void *ssl);

/* Writes to a place the number of the fatal alert with which a peer ends a connection of the context. libcurl has room for one
   message only, its first: where a call on the socket fails before the alert is read, that is the call's. The place must outlive
   the context's connections. Returns 0, or -1 when OpenSSL has no memory. */
int copenssl_watch_alerts(void *context, int *place);
/* An alert's name in OpenSSL's words. */
const char *copenssl_alert_name(int alert);

#endif
