import TestKit

/// Debian's nginx as a test has it: one process in the foreground, one server over TLS with HTTP/2 and 1.1.
public enum Nginx {
  /// Whether a module of Debian's is there, by the name of its file.
  public static func has(module: String) -> Bool { path(ofModule: module) != nil }

  private static func path(ofModule name: String) -> String? {
    Programs.resource("/usr/lib/nginx/modules/\(name).so")
  }

  /// - Parameters:
  ///   - folder: of the server's own, for everything that it writes.
  ///   - modules: which to load, by the names of their files.
  ///   - lines: what stands in the `server` block.
  public static func configuration(
    port: Int, folder: String, certificate: String, key: String, modules: [String] = [], lines: String
  ) -> String {
    let loading = modules.map { "load_module \(path(ofModule: $0) ?? $0);" }.joined(separator: "\n")
    let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(folder)/\($0);"
    }
    return """
      daemon off; master_process off; pid \(folder)/pid; error_log \(folder)/error.log;
      \(loading)
      events { worker_connections 256; }
      http {
        access_log off;
        \(places.joined(separator: "\n  "))
        server {
          listen 127.0.0.1:\(port) ssl http2;
          ssl_certificate \(certificate); ssl_certificate_key \(key);
          \(lines)
        }
      }
      """
  }
}

/// nghttpx of Debian's nghttp2-proxy: speaks HTTP/2 over TLS for a server that cannot.
public enum Nghttpx {
  public static func arguments(port: Int, backend: Int, certificate: String, key: String) -> [String] {
    [
      "--conf=/dev/null", "--frontend=127.0.0.1,\(port)", "--backend=127.0.0.1,\(backend)", "--workers=1",
      "--single-process", key, certificate,
    ]
  }
}
