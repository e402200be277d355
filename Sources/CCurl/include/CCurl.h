/* libcurl in forms that Swift can call: Swift cannot call variadic C functions, so each type of argument gets a function
   of its own. Nothing is decided here. */
#ifndef PUSHSCOPE_CCURL_H
#define PUSHSCOPE_CCURL_H

/* The type-checking macros need the option as a literal at the call; through a parameter they only warn wrongly. */
#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>

/* Variadic: curl_easy_setopt, one function an argument type. */
static inline CURLcode ccurl_easy_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_easy_set_pointer(CURL *easy, CURLoption option, const void *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

/* Variadic, and function pointers do not convert to data pointers in Swift: one function a callback type. */
static inline CURLcode ccurl_easy_set_data_function(
    CURL *easy, CURLoption option, size_t (*callback)(char *, size_t, size_t, void *)) {
  return curl_easy_setopt(easy, option, callback);
}
static inline CURLcode ccurl_easy_set_prereq_function(CURL *easy, curl_prereq_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}
static inline CURLcode ccurl_easy_set_resolver_start_function(CURL *easy, curl_resolver_start_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, callback);
}
static inline CURLcode ccurl_easy_set_sockopt_function(CURL *easy, curl_sockopt_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, callback);
}
static inline CURLcode ccurl_easy_set_open_socket_function(CURL *easy, curl_opensocket_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}
static inline CURLcode ccurl_easy_set_close_socket_function(CURL *easy, curl_closesocket_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
}
static inline CURLcode ccurl_easy_set_debug_function(CURL *easy, curl_debug_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, callback);
}
static inline CURLcode ccurl_easy_set_ssl_context_function(CURL *easy, curl_ssl_ctx_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, callback);
}
static inline CURLcode ccurl_easy_set_progress_function(CURL *easy, curl_xferinfo_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, callback);
}

/* Variadic: curl_easy_getinfo, one function a result type; 0 or NULL when libcurl does not know. */
static inline long ccurl_easy_get_long(CURL *easy, CURLINFO info) {
  long value = 0;
  return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}
static inline curl_off_t ccurl_easy_get_offset(CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}
/* The socket of the connection that CONNECT_ONLY made; CURL_SOCKET_BAD for none. */
static inline curl_socket_t ccurl_easy_get_socket(CURL *easy) {
  curl_socket_t value = CURL_SOCKET_BAD;
  return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &value) == CURLE_OK ? value : CURL_SOCKET_BAD;
}
/* OpenSSL's SSL of the connection that is in use; NULL with another TLS library. */
static inline void *ccurl_easy_get_openssl(CURL *easy) {
  struct curl_tlssessioninfo *value = NULL;
  CURLcode code = curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &value);
  return code == CURLE_OK && value != NULL && value->backend == CURLSSLBACKEND_OPENSSL ? value->internals : NULL;
}
static inline void *ccurl_easy_get_private(CURL *easy) {
  char *value = NULL;
  return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : NULL;
}

/* Variadic: curl_multi_setopt. */
static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode ccurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode ccurl_multi_set_socket_function(CURLM *multi, curl_socket_callback callback) {
  return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
}
static inline CURLMcode ccurl_multi_set_timer_function(CURLM *multi, curl_multi_timer_callback callback) {
  return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
}

/* The result sits in a union: takes the next finished transfer out of a multi handle, or returns NULL. */
static inline CURL *ccurl_multi_next_done(CURLM *multi, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left)) != NULL) {
    if (message->msg == CURLMSG_DONE) {
      *result = message->data.result;
      return message->easy_handle;
    }
  }
  return NULL;
}

/* curl_version_info gives a struct that grows with versions. */
static inline const char *ccurl_tls_library(void) {
  const char *name = curl_version_info(CURLVERSION_NOW)->ssl_version;
  return name == NULL ? "" : name;
}
static inline const char *ccurl_version(void) { return curl_version_info(CURLVERSION_NOW)->version; }

/* Macros that are casts or expressions are not imported. */
static inline long ccurl_global_default(void) { return CURL_GLOBAL_DEFAULT; }
static inline long ccurl_http_version_2tls(void) { return CURL_HTTP_VERSION_2TLS; }
static inline long ccurl_rtsp_request_receive(void) { return CURL_RTSPREQ_RECEIVE; }
static inline int ccurl_socket_timeout(void) { return CURL_SOCKET_TIMEOUT; }

#endif
