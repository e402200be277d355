/// nghttpx of Debian's nghttp2-proxy: speaks HTTP/2 over TLS for a server that cannot.
public enum Nghttpx {
  public static func arguments(port: Int, backend: Int, certificate: String, key: String) -> [String] {
    [
      "--conf=/dev/null", "--frontend=127.0.0.1,\(port)", "--backend=127.0.0.1,\(backend)", "--workers=1",
      "--single-process", key, certificate,
    ]
  }
}
