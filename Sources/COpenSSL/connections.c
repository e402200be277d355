#include "COpenSSL.h"

#include <openssl/bio.h>
#include <openssl/opensslv.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <string.h>

int copenssl_major(void) { return OPENSSL_VERSION_MAJOR; }

int copenssl_configure(void *context) {
  static const unsigned char protocols[] = { 2, 'h', '2', 8, 'h', 't', 't', 'p', '/', '1', '.', '1' };
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
  return SSL_CTX_set_alpn_protos(context, protocols, sizeof protocols) == 0 ? 0 : -1;
}

int copenssl_selected_protocol(const void *ssl, char *protocol, int capacity) {
  const unsigned char *selected = NULL;
  unsigned int length = 0;
  SSL_get0_alpn_selected(ssl, &selected, &length);
  if (selected == NULL || (int)length > capacity) return 0;
  memcpy(protocol, selected, length);
  return (int)length;
}

uint64_t copenssl_bytes_written(void *ssl) {
  BIO *bio = SSL_get_wbio(ssl);
  return bio == NULL ? 0 : BIO_number_written(bio);
}

int copenssl_read_from_memory(void *ssl) {
  BIO *memory = BIO_new(BIO_s_mem());
  if (memory == NULL) return -1;
  /* Nothing there now is not the end. */
  BIO_set_mem_eof_return(memory, -1);
  /* libcurl has the buffers of idle connections freed, and so allocated anew for each record. */
  SSL_clear_mode(ssl, SSL_MODE_RELEASE_BUFFERS);
  SSL_set_read_ahead(ssl, 0);
  /* A record may hold several session tickets (BoringSSL's does), of which each read would end with one: nothing would say that
     more is there once the bytes of the record are read. */
  SSL_set_mode(ssl, SSL_MODE_AUTO_RETRY);
  SSL_set0_rbio(ssl, memory);
  return 0;
}

int copenssl_feed(void *ssl, const void *bytes, int count) {
  return BIO_write(SSL_get_rbio(ssl), bytes, count) == count ? 0 : -1;
}

uint64_t copenssl_bytes_read(void *ssl) { return BIO_number_read(SSL_get_rbio(ssl)); }

void copenssl_read_from_socket(void *ssl) {
  BIO *socket = SSL_get_wbio(ssl);
  if (socket == NULL || !BIO_up_ref(socket)) return;
  SSL_set0_rbio(ssl, socket);
}

/* The place that a context carries for the alerts of its connections. */
static int place_index = -1;
static pthread_once_t place_once = PTHREAD_ONCE_INIT;

static void make_place_index(void) { place_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL); }

static void note_alert(const SSL *ssl, int where, int value) {
  if (where != SSL_CB_READ_ALERT || value >> 8 != SSL3_AL_FATAL) return;
  int *place = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), place_index);
  if (place != NULL) *place = value & 0xff;
}

int copenssl_watch_alerts(void *context, int *place) {
  pthread_once(&place_once, make_place_index);
  if (place_index < 0 || SSL_CTX_set_ex_data(context, place_index, place) != 1) return -1;
  SSL_CTX_set_info_callback(context, note_alert);
  return 0;
}

const char *copenssl_alert_name(int alert) {
  /* OpenSSL 3.0 has no name for this one, only a text for its error. */
  return alert == SSL_AD_CERTIFICATE_REQUIRED ? "certificate required" : SSL_alert_desc_string_long(alert);
}
