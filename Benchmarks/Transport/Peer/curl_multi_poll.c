/* The plainest way to keep STREAMS requests under way on one connection with libcurl: curl_multi_perform and
   curl_multi_poll, handles used again. What the transport is compared with.

   usage: curl_multi_poll URL CA-FILE REQUESTS STREAMS BODY-BYTES */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static size_t drop(char *bytes, size_t size, size_t count, void *context) {
  (void)bytes;
  (void)context;
  return size * count;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
  if (count != 6) {
    fprintf(stderr, "usage: curl_multi_poll URL CA-FILE REQUESTS STREAMS BODY-BYTES\n");
    return 64;
  }
  long total = atol(arguments[3]), streams = atol(arguments[4]), bytes = atol(arguments[5]);
  if (total < 1 || streams < 1 || streams > 10000 || bytes < 1 || bytes > 1000000) return 64;
  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM *multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
  curl_multi_setopt(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, 1000L);
  char *body = malloc((size_t)bytes);
  CURL **handles = calloc((size_t)streams, sizeof *handles);
  if (multi == NULL || body == NULL || handles == NULL) return 1;
  memset(body, 'x', (size_t)bytes);
  struct curl_slist *headers = curl_slist_append(NULL, "Expect:");
  headers = curl_slist_append(headers, "content-type: application/octet-stream");
  for (long i = 0; i < streams; i++) {
    CURL *easy = handles[i] = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, arguments[1]);
    curl_easy_setopt(easy, CURLOPT_CAINFO, arguments[2]);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, bytes);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop);
  }

  /* The first request opens the connection; the clock starts with its answer. */
  long started = 1, done = 0, bad = 0;
  double start = 0;
  int running = 0;
  curl_multi_add_handle(multi, handles[0]);
  while (done < total) {
    if (curl_multi_perform(multi, &running) != CURLM_OK) return 1;
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
      CURL *easy = message->easy_handle;
      long status = 0;
      curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
      if (message->data.result != CURLE_OK || status != 200) bad++;
      curl_multi_remove_handle(multi, easy);
      done++;
      if (start == 0) {
        start = seconds();
        for (long i = 0; i < streams && started < total; i++, started++) curl_multi_add_handle(multi, handles[i]);
      } else if (started < total) {
        curl_multi_add_handle(multi, easy);
        started++;
      }
    }
    if (done < total) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
  double span = seconds() - start;
  printf("bare curl_multi_poll: %ld requests, %ld bad, %.3f s, %.0f/s\n", done, bad, span, (double)(done - 1) / span);
  return 0;
}
