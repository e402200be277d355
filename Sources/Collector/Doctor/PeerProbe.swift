import CCurl
import Glibc
import HTTPClient
import Measurement
import Providers
import Transport

/// Makes one connection to a peer and tells which step fails: name, TCP, TLS, ALPN or the request.
final class PeerProbe {
  enum Failure: Equatable {
    case dns
    case connect
    /// The peer's certificate, or the handshake.
    case tls
    /// The client certificate or the CA file.
    case ownFiles
    /// No complete answer.
    case request
  }

  struct Outcome {
    /// `nil` on success.
    var failure: Failure?
    /// libcurl's error message.
    var message: String
    /// The protocol that ALPN selected.
    var alpn: String?
    /// When the peer's certificate expires, as OpenSSL writes it.
    var certificateEnd: String?
    var response: PushResponse?
    var took: Duration
  }

  /// How a peer ended a connection right after the handshake.
  struct ConnectionEnd {
    /// `nil` where it gave none, or none was received.
    var alert: TLSAlert?
    /// libcurl's error message.
    var message: String

    var words: String { alert?.words ?? message }
  }

  private let clock: any HostClock
  private let caFile: String?
  private let clientCertificate: ClientCertificate?
  private let timeout: Duration
  /// Whether only global unicast addresses may be connected to.
  private let isGlobalOnly: Bool
  private var alpn: String?
  private var certificateEnd: String?

  init(
    clock: any HostClock, caFile: String?, clientCertificate: ClientCertificate?, timeout: Duration,
    isGlobalOnly: Bool = false
  ) {
    self.clock = clock
    self.caFile = caFile
    self.clientCertificate = clientCertificate
    self.timeout = timeout
    self.isGlobalOnly = isGlobalOnly
  }

  /// Connects, with TLS if the URL asks for it, and sends nothing.
  func connect(to url: String) -> Outcome {
    perform(PushRequest(method: "GET", url: url), connectsOnly: true)
  }

  func send(_ request: PushRequest) -> Outcome { perform(request, connectsOnly: false) }

  /// How long to listen to a peer that says nothing, and how many round trips at the least.
  private static let listening = (time: Duration.milliseconds(500), roundTrips: 4)
  /// How often a peer is listened to that ends the connection without a word.
  private static let hearings = 5

  /// Connects once more and listens to the first that the peer says after the handshake, which with TLS 1.3 may be that it
  /// wants a client certificate, or another one (`TLSAlert`). A server of HTTP/2 sends its SETTINGS then, one of HTTP/1.1
  /// nothing or session tickets.
  ///
  /// A peer that closes at once resets the connection where something of ours is still on its way, and what it said can be lost
  /// with it: then it is asked again.
  /// - Returns: how the peer ended the connection; `nil` when it did not.
  func endAfterHandshake(at url: String) -> ConnectionEnd? {
    var end: ConnectionEnd?
    for _ in 0..<Self.hearings {
      let tls = TLSSettings()
      guard let message = withExtendedLifetime(tls, { hearEnd(at: url, tls) }) else { return end }
      end = ConnectionEnd(alert: tls.alert ?? TLSAlert(in: message), message: message)
      if end?.alert != nil { return end }
    }
    return end
  }

  private func hearEnd(at url: String, _ tls: TLSSettings) -> String? {
    guard CurlConnection.carriesBytes, let handle = EasyHandle() else { return nil }
    handle.prepare(
      PushRequest(method: "GET", url: url), caFile: caFile, clientCertificate: clientCertificate)
    let easy = handle.easy
    if isGlobalOnly { ccurl_easy_set_open_socket_function(easy, globalSocketWanted) }
    tls.apply(to: easy)
    do throws(CurlFailure) {
      try handle.perform(timeout: timeout)
    } catch {
      return error.message
    }
    let roundTrip =
      ccurl_easy_get_offset(easy, CURLINFO_CONNECT_TIME_T)
      - ccurl_easy_get_offset(easy, CURLINFO_NAMELOOKUP_TIME_T)
    let wait = max(Self.listening.time, .microseconds(roundTrip) * Self.listening.roundTrips)
    return listen(to: handle, until: clock.monotonicNow() + min(wait, timeout))
  }

  private func listen(to handle: EasyHandle, until deadline: MonotonicTime) -> String? {
    var bytes = [UInt8](repeating: 0, count: 1024)
    var poll = pollfd(fd: ccurl_easy_get_socket(handle.easy), events: Int16(POLLIN), revents: 0)
    while poll.fd >= 0 {
      let left = deadline - clock.monotonicNow()
      guard left > .zero else { return nil }
      let ready = Glibc.poll(&poll, 1, Int32(clamping: left.milliseconds + 1))
      if ready < 0, errno != EINTR { return nil }
      guard ready > 0 else { continue }
      var count = 0
      switch curl_easy_recv(handle.easy, &bytes, bytes.count, &count) {
      case CURLE_AGAIN: continue
      case CURLE_OK where count > 0: return nil
      case CURLE_OK: return "the server closed the connection right after the handshake"
      case let code: return handle.complaint(code)
      }
    }
    return nil
  }

  private func perform(_ request: PushRequest, connectsOnly: Bool) -> Outcome {
    guard let handle = EasyHandle() else {
      return Outcome(failure: .ownFiles, message: "libcurl could not create a handle", took: .zero)
    }
    alpn = nil
    certificateEnd = nil
    handle.prepare(request, caFile: caFile, clientCertificate: clientCertificate)
    let easy = handle.easy
    if isGlobalOnly { ccurl_easy_set_open_socket_function(easy, globalSocketWanted) }
    ccurl_easy_set_long(easy, CURLOPT_VERBOSE, 1)
    ccurl_easy_set_debug_function(easy, probeMessage)
    ccurl_easy_set_pointer(easy, CURLOPT_DEBUGDATA, Unmanaged.passUnretained(self).toOpaque())
    if connectsOnly { ccurl_easy_set_long(easy, CURLOPT_CONNECT_ONLY, 1) }
    let start = clock.monotonicNow()
    do throws(CurlFailure) {
      try handle.perform(timeout: timeout)
    } catch {
      return Outcome(
        failure: Self.failure(error.code), message: error.message, alpn: alpn,
        certificateEnd: certificateEnd, took: clock.monotonicNow() - start)
    }
    let took = clock.monotonicNow() - start
    let response =
      connectsOnly
      ? nil
      : PushResponse(
        status: handle.status, headers: handle.headers, body: handle.answer.body,
        receivedAt: clock.wallNow())
    return Outcome(
      message: "", alpn: alpn, certificateEnd: certificateEnd, response: response, took: took)
  }

  private static func failure(_ code: CURLcode) -> Failure {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: .dns
    case CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT: .connect
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR: .tls
    case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE: .ownFiles
    default: .request
    }
  }

  /// Reads from libcurl's messages what it does not report otherwise.
  fileprivate func parse(_ text: String) {
    let line = text.drop { $0 == " " }.prefix { !$0.isNewline }
    for (start, isALPN) in [("ALPN: server accepted ", true), ("expire date: ", false)]
    where line.hasPrefix(start) {
      let rest = String(line.dropFirst(start.count).prefix(64))
      if isALPN { alpn = rest } else { certificateEnd = rest }
    }
  }
}

private func probeMessage(
  _ easy: UnsafeMutableRawPointer?, _ kind: curl_infotype, _ bytes: UnsafeMutablePointer<CChar>?,
  _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard kind == CURLINFO_TEXT, let context, let bytes else { return 0 }
  let text = UnsafeRawBufferPointer(start: bytes, count: min(count, 512))
  Unmanaged<PeerProbe>.fromOpaque(context).takeUnretainedValue().parse(String(decoding: text, as: UTF8.self))
  return 0
}

/// Resolves host names by the system's resolver.
enum NameLookup {
  struct Failure: Error {
    var message: String
  }

  /// Addresses in the order in which they would be tried.
  static func addresses(of host: String) -> Result<[String], Failure> {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &list)
    guard code == 0 else { return .failure(Failure(message: String(cString: gai_strerror(code)))) }
    defer { freeaddrinfo(list) }
    var addresses: [String] = []
    var next = list
    while let entry = next {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      if getnameinfo(
        entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        == 0
      {
        // A C char has a sign on x86-64, and none on arm64.
        let bytes = text.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }
        let address = String(decoding: bytes, as: UTF8.self)
        if !addresses.contains(address) { addresses.append(address) }
      }
      next = entry.pointee.ai_next
    }
    return .success(addresses)
  }
}
