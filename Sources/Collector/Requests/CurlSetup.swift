import CCurl
import Providers

/// What holds for every request of this program, stated once: a stranger answers it, and nothing but the configuration
/// decides where it goes.
enum CurlSetup {
  /// Sets a new or reset handle up: http and https only; redirects are not followed; content codings are neither asked for
  /// nor undone; peers are verified; proxies, .netrc and whatever else an environment has are ignored.
  ///
  /// How much of an answer is taken is the callbacks' part: ``HeaderBudget``, ``PushResponse/maximumBodyBytes``.
  static func secure(
    _ easy: UnsafeMutableRawPointer, caFile: String?, clientCertificate: ClientCertificate?
  ) {
    let texts: [(CURLoption, String?)] = [
      (CURLOPT_PROTOCOLS_STR, "http,https"), (CURLOPT_NOPROXY, "*"), (CURLOPT_USERAGENT, "pushscope"),
      (CURLOPT_CAINFO, caFile), (CURLOPT_SSLCERT, clientCertificate?.certificateFile),
      (CURLOPT_SSLKEY, clientCertificate?.keyFile),
    ]
    for case (let option, let text?) in texts { ccurl_easy_set_pointer(easy, option, text) }
    // Most of these are libcurl's defaults; here they do not depend on them.
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_HTTP_VERSION, ccurl_http_version_2tls()), (CURLOPT_FOLLOWLOCATION, 0),
      (CURLOPT_HTTP09_ALLOWED, 0), (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
      (CURLOPT_NETRC, 0),
      // Each new connection asks anew where the peer is.
      (CURLOPT_DNS_CACHE_TIMEOUT, 0), (CURLOPT_TCP_KEEPALIVE, 1),
    ]
    for (option, number) in numbers { ccurl_easy_set_long(easy, option, number) }
    ccurl_easy_set_pointer(easy, CURLOPT_ACCEPT_ENCODING, nil)
  }

  /// A request's header lines for libcurl, without those that it would add by itself. The caller frees the list.
  static func headerList(_ headers: [HeaderField]) -> UnsafeMutablePointer<curl_slist>? {
    // A name without a value takes out what libcurl would add.
    var list = curl_slist_append(nil, "Expect:")
    if !headers.contains(where: { $0.name == "content-type" }) {
      list = curl_slist_append(list, "Content-Type:")
    }
    for header in headers {
      let line = header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
      list = curl_slist_append(list, line)
    }
    return list
  }
}
