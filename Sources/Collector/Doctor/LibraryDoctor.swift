import CCurl
import CLinux
import CNghttp2
import Glibc
import Store
import Transport

/// Names the libraries that sending depends on, and what they and the kernel allow.
public struct LibraryDoctor: Sendable, Hashable {
  /// Which of its own stamps the kernel gives for packets that left.
  public enum SentStamps: Sendable, Hashable {
    /// Stamps have the number of the byte, so that each request finds its own.
    case byByte
    /// Stamps have no number of the byte: each is matched by the call that it was made in.
    case byCall
    case none
    /// There was no connection to try it on.
    case unknown
  }

  var curl: String
  /// The TLS library as libcurl names it: `OpenSSL/3.0.17`.
  var tls: String
  /// libcurl's TLS is the OpenSSL that we were compiled for.
  var carriesBytes: Bool
  var nghttp2: String
  var sqlite: String
  var sentStamps: SentStamps

  /// What this process runs with.
  public static func ofThisProcess() -> LibraryDoctor {
    LibraryDoctor(
      curl: String(cString: ccurl_version()), tls: String(cString: ccurl_tls_library()),
      carriesBytes: CurlConnection.carriesBytes,
      nghttp2: String(cString: nghttp2_version(0).pointee.version_str), sqlite: StoreReader.sqliteVersion,
      sentStamps: SentStamps.tried())
  }

  public var findings: [DoctorFinding] {
    [
      curlFinding,
      DoctorFinding(
        .fine, "host", "libraries",
        "nghttp2 \(nghttp2) makes HTTP/2's frames, SQLite \(sqlite) keeps the store"),
      stampFinding,
    ]
  }

  private var curlFinding: DoctorFinding {
    let name = "libcurl \(curl) with \(tls.isEmpty ? "no TLS" : tls)"
    guard !carriesBytes else {
      return DoctorFinding(.fine, "host", "libcurl", "\(name) carries each request's bytes")
    }
    return DoctorFinding(
      .note, "host", "libcurl",
      "\(name) carries no bytes for others: it speaks HTTP/2 itself, one request at a time on a connection",
      remedy:
        "install libcurl built with OpenSSL (Debian: libcurl4, not libcurl4-gnutls or -nss) to send side by side"
    )
  }

  private var stampFinding: DoctorFinding {
    switch sentStamps {
    case .byByte:
      DoctorFinding(.fine, "host", "stamps", "the kernel says when each byte left and when each packet came")
    case .byCall:
      DoctorFinding(
        .note, "host", "stamps", "the kernel says when packets left, but not with which bytes",
        remedy: "nothing is wrong; Linux 6.2 and later say that too")
    case .none:
      DoctorFinding(
        .note, "host", "stamps",
        "the kernel does not say when packets leave: service times are longer than the truth by some 10 µs",
        remedy: "measure on Linux itself; sandboxes such as gVisor have no such stamps")
    case .unknown:
      DoctorFinding(
        .note, "host", "stamps", "not known: no connection over the loopback interface could be made")
    }
  }
}

extension LibraryDoctor.SentStamps {
  /// Tries it on a connection over the loopback interface: the kernel counts bytes only of one that stands.
  static func tried() -> Self {
    guard let (near, far) = connectedPair() else { return .unknown }
    defer {
      close(near)
      close(far)
    }
    if clinux_stamp_sent_bytes(near) == 0 { return .byByte }
    return clinux_stamp_sent(near) == 0 ? .byCall : .none
  }

  private static func connectedPair() -> (near: Int32, far: Int32)? {
    var four = sockaddr_in()
    four.sin_family = sa_family_t(AF_INET)
    four.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    if let pair = connectedPair(AF_INET, at: four) { return pair }
    // A host without IPv4.
    var six = sockaddr_in6()
    six.sin6_family = sa_family_t(AF_INET6)
    inet_pton(AF_INET6, "::1", &six.sin6_addr)
    return connectedPair(AF_INET6, at: six)
  }

  private static func connectedPair<Address>(
    _ family: Int32, at place: Address
  ) -> (near: Int32, far: Int32)? {
    let listener = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    let near = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = place
    var size = socklen_t(MemoryLayout<Address>.size)
    let isConnected = withUnsafeMutableBytes(of: &address) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { generic in
        bind(listener, generic.baseAddress, size) == 0
          && getsockname(listener, generic.baseAddress, &size) == 0
          && listen(listener, 1) == 0 && connect(near, generic.baseAddress, size) == 0
      }
    }
    let far = isConnected ? accept(listener, nil, nil) : -1
    guard far >= 0 else {
      close(near)
      return nil
    }
    return (near, far)
  }
}
