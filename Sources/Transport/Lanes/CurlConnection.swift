import CCurl
import CLinux
import COpenSSL
import Glibc
import HTTPClient
import Measurement
import Providers

/// One connection through libcurl: an easy handle in a multi handle of its own, under the timing thread's epoll.
///
/// libcurl resolves the name, chooses the address, does TLS and checks the peer. It opens one connection and no second one:
/// what it would send again fails.
public final class CurlConnection {
  enum Purpose {
    /// Only bytes: HTTP/2 and HTTP/1.1 are offered by ALPN, and libcurl sends nothing of its own (`CONNECT_ONLY`).
    case bytes
    /// libcurl's own requests, by the version that it negotiates.
    case requests
  }

  let easy: UnsafeMutableRawPointer
  private let multi: UnsafeMutableRawPointer
  private unowned(unsafe) let environment: any LaneEnvironment
  private let targetIndex: Int
  private let purpose: Purpose
  private let errorText: UnsafeMutablePointer<CChar>
  private let tls = TLSSettings()

  private var sockets: [Int32] = []
  /// The host has an address that may not be connected to.
  private var hasRefusedAddress = false
  private var interests: [SocketInterest] = []
  /// When libcurl wants to be called for its own timers.
  private(set) var timer: MonotonicTime?
  /// The socket of the connection that stands, -1 before and after.
  private(set) var fd: Int32 = -1
  private(set) var stands = false
  private(set) var phases: ConnectionPhases?
  /// Bytes that fit into one TCP segment.
  private(set) var segmentSize = 0
  /// OpenSSL's `SSL`; `nil` without TLS or with another library.
  private(set) var ssl: UnsafeMutableRawPointer?
  /// What ALPN selected, empty for nothing.
  private(set) var selectedProtocol = ""
  private var isAdded = false
  private var isClosing = false
  private var lastState: SocketState?

  /// Called before each of libcurl's requests goes onto the connection; `false` ends it.
  var mayStart: () -> Bool = { true }

  /// The target's timeout holds for opening with ``Purpose/bytes``, for each request with ``Purpose/requests``.
  init?(
    _ purpose: Purpose, target: TransportTarget, index: Int, environment: any LaneEnvironment
  ) {
    guard let multi = curl_multi_init() else { return nil }
    guard let easy = curl_easy_init() else {
      curl_multi_cleanup(multi)
      return nil
    }
    self.multi = multi
    self.easy = easy
    self.environment = environment
    self.purpose = purpose
    targetIndex = index
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText[0] = 0
    configure(target)
  }

  deinit {
    close()
    curl_easy_cleanup(easy)
    errorText.deallocate()
  }

  private func configure(_ target: TransportTarget) {
    let this = Unmanaged.passUnretained(self).toOpaque()
    CurlSetup.secure(easy, caFile: target.caFile, clientCertificate: target.clientCertificate)
    ccurl_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_TIMEOUT_MS, Int((target.timeout.microseconds + 999) / 1000)),
      (CURLOPT_CONNECTTIMEOUT_MS, Int(ReconnectBackoff.longestAttempt.milliseconds)),
      // Nothing may end a connection that is used once an hour; the default is 118 s.
      (CURLOPT_MAXAGE_CONN, 24 * 3600),
      (CURLOPT_TCP_KEEPIDLE, 60), (CURLOPT_TCP_KEEPINTVL, 15),
    ]
    for (option, value) in numbers { ccurl_easy_set_long(easy, option, value) }
    if purpose == .bytes { tls.apply(to: easy) }
    ccurl_easy_set_prereq_function(easy, connectionConnected)
    ccurl_easy_set_pointer(easy, CURLOPT_PREREQDATA, this)
    ccurl_easy_set_resolver_start_function(easy, connectionResolving)
    ccurl_easy_set_pointer(easy, CURLOPT_RESOLVER_START_DATA, this)
    if target.isGlobalOnly {
      ccurl_easy_set_open_socket_function(easy, connectionSocketWanted)
      ccurl_easy_set_pointer(easy, CURLOPT_OPENSOCKETDATA, this)
    }
    ccurl_easy_set_sockopt_function(easy, connectionSocketOpened)
    ccurl_easy_set_pointer(easy, CURLOPT_SOCKOPTDATA, this)
    ccurl_easy_set_close_socket_function(easy, connectionSocketClosing)
    ccurl_easy_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, this)
    ccurl_multi_set_socket_function(multi, connectionSocketInterest)
    ccurl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, this)
    ccurl_multi_set_timer_function(multi, connectionTimer)
    ccurl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, this)
  }

  /// Whether libcurl's TLS is the OpenSSL that we were compiled for, so that ``Purpose/bytes`` can be had.
  public static let carriesBytes: Bool = {
    String(cString: ccurl_tls_library()).contains("OpenSSL/\(copenssl_major()).")
  }()

  /// libcurl's complaint, empty when it has none.
  var message: String {
    hasRefusedAddress && sockets.isEmpty
      ? "the host's address is not one of the public network, and a device has chosen it"
      : String(cString: errorText)
  }
  func clearMessage() {
    errorText[0] = 0
    hasRefusedAddress = false
  }

  /// The fatal alert with which the peer ended TLS, with ``Purpose/bytes``.
  var alert: TLSAlert? { tls.alert }

  // MARK: libcurl's turns

  /// Hands the easy handle to libcurl and lets it begin.
  func start() {
    isAdded = true
    curl_multi_add_handle(multi, easy)
    runTimers()
  }

  /// Removes the easy handle from libcurl; with ``Purpose/bytes`` that ends the connection.
  func removeHandle() {
    guard isAdded else { return }
    isAdded = false
    curl_multi_remove_handle(multi, easy)
  }

  func runTimers() {
    timer = nil
    var running: Int32 = 0
    curl_multi_socket_action(multi, ccurl_socket_timeout(), 0, &running)
  }

  func act(on fd: Int32, readable: Bool, writable: Bool, error: Bool) {
    var mask: Int32 = 0
    if readable { mask |= CURL_CSELECT_IN }
    if writable { mask |= CURL_CSELECT_OUT }
    if error { mask |= CURL_CSELECT_ERR }
    var running: Int32 = 0
    curl_multi_socket_action(multi, fd, mask, &running)
  }

  /// The result of what libcurl has brought to an end.
  func nextResult() -> CURLcode? {
    var code = CURLE_OK
    return ccurl_multi_next_done(multi, &code) == nil ? nil : code
  }

  /// How far opening has come, read from which of libcurl's phases are stamped. libcurl 7.88 stamps the end of TCP's handshake
  /// only with that of TLS where both begin in one call; it knows the local port as soon as TCP's is over.
  var stage: ConnectionStage {
    if stands { return .sent }
    if ccurl_easy_get_offset(easy, CURLINFO_NAMELOOKUP_TIME_T) == 0 { return .resolving }
    let isConnected =
      ccurl_easy_get_offset(easy, CURLINFO_CONNECT_TIME_T) != 0
      || ccurl_easy_get_long(easy, CURLINFO_LOCAL_PORT) > 0
    return isConnected ? .handshaking : .connecting
  }

  /// Ends the connection; libcurl is not to be used after that.
  func close() {
    guard !isClosing else { return }
    isClosing = true
    removeHandle()
    curl_multi_cleanup(multi)
    for interest in interests where interest.isRegistered { environment.unwatch(interest.fd) }
    interests.removeAll()
    timer = nil
  }

  // MARK: Sockets

  func owns(_ fd: Int32) -> Bool { interests.contains { $0.fd == fd } }

  /// What to watch the connection's socket for once libcurl no longer does.
  func watch(_ events: UInt32) { want(events, on: fd) }

  /// Hears no more of the connection's socket until libcurl asks for it again.
  func ignore() {
    guard let index = interests.firstIndex(where: { $0.fd == fd }), interests[index].isRegistered else {
      return
    }
    environment.unwatch(fd)
    interests[index].isRegistered = false
  }

  private func want(_ events: UInt32, on fd: Int32) {
    if let index = interests.firstIndex(where: { $0.fd == fd }) {
      interests[index].wanted = events
    } else if events != 0 {
      interests.append(SocketInterest(fd: fd, wanted: events))
    }
  }

  /// Tells epoll what changed. A connection at rest stays watched: what comes then is news.
  func settleInterests() {
    for index in interests.indices {
      let interest = interests[index]
      if interest.wanted == 0 || (interest.isRegistered && interest.registered == interest.wanted) {
        continue
      }
      if environment.watch(
        interest.fd, target: targetIndex, events: interest.wanted, isNew: !interest.isRegistered)
      {
        interests[index].registered = interest.wanted
        interests[index].isRegistered = true
      }
    }
  }

  /// The state of the connection's socket, or the last one that it had.
  var socketState: SocketState {
    if let lastState { return lastState }
    guard fd >= 0 else { return .unknown }
    return switch clinux_tcp_state(fd) {
    case -1: .unknown
    case Int32(clinux_tcp_established): .established
    case Int32(clinux_tcp_closed): .reset
    default: .closing
    }
  }

  // MARK: Called by libcurl

  fileprivate func resolving() -> Bool {
    // A second connection would be for sending a request again.
    !stands
  }

  /// - Returns: whether it may be connected to.
  fileprivate func mayConnect(to address: UnsafePointer<curl_sockaddr>) -> Bool {
    let isGlobal = GlobalAddress.isGlobal(address)
    if !isGlobal { hasRefusedAddress = true }
    return isGlobal
  }

  fileprivate func opened(_ fd: Int32) -> Bool {
    guard resolving() else { return false }
    _ = clinux_stamp_received(fd)
    sockets.append(fd)
    return true
  }

  fileprivate func connected(localPort: Int32) -> Bool {
    if !stands {
      let only = sockets.count == 1 ? sockets.first : sockets.first { clinux_local_port($0) == localPort }
      guard let only else { return false }
      fd = only
      stands = true
      segmentSize = Int(clinux_segment_size(only))
      let resolved = ccurl_easy_get_offset(easy, CURLINFO_NAMELOOKUP_TIME_T)
      let connected = ccurl_easy_get_offset(easy, CURLINFO_CONNECT_TIME_T)
      let secured = ccurl_easy_get_offset(easy, CURLINFO_APPCONNECT_TIME_T)
      phases = ConnectionPhases(
        dns: Int64(resolved), connect: Int64(max(0, connected - resolved)),
        tls: secured > 0 ? Int64(max(0, secured - connected)) : nil)
      if purpose == .bytes { readSelectedProtocol() }
    } else if fd < 0 {
      return false
    }
    return mayStart()
  }

  private func readSelectedProtocol() {
    ssl = ccurl_easy_get_openssl(easy)
    guard let ssl else { return }
    selectedProtocol = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      let count = copenssl_selected_protocol(ssl, buffer.baseAddress, Int32(buffer.count))
      return String(
        decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<Int(count)]),
        as: UTF8.self)
    }
  }

  fileprivate func closing(_ fd: Int32) {
    if fd == self.fd {
      // Before it closes a connection libcurl sends TLS's close_notify, which a peer that has closed already answers with
      // a reset. A reset of the peer's own is in libcurl's message.
      lastState = socketState == .reset ? .closing : socketState
      self.fd = -1
      ssl = nil
    }
    sockets.removeAll { $0 == fd }
    interests.removeAll { $0.fd == fd }
  }

  fileprivate func interestChanged(_ fd: Int32, to what: Int32) {
    guard !isClosing else { return }
    let wanted: UInt32 =
      switch what {
      case CURL_POLL_IN: clinux_epoll_in
      case CURL_POLL_OUT: clinux_epoll_out
      case CURL_POLL_INOUT: clinux_epoll_in | clinux_epoll_out
      default: 0
      }
    want(wanted, on: fd)
    // A descriptor that is not a connection's is closed without a word to us.
    if wanted == 0, !sockets.contains(fd), let index = interests.firstIndex(where: { $0.fd == fd }) {
      if interests[index].isRegistered { environment.unwatch(fd) }
      interests.remove(at: index)
    }
  }

  fileprivate func timerChanged(_ milliseconds: Int) {
    timer = milliseconds < 0 ? nil : environment.now() + .milliseconds(milliseconds)
  }
}

/// What is wanted of a socket and what epoll was last told. They are brought together at the end of a turn, because libcurl
/// changes its mind several times within one.
private struct SocketInterest {
  let fd: Int32
  var wanted: UInt32
  var registered: UInt32 = 0
  var isRegistered = false
}

// libcurl calls these on the timing thread, from within its functions. They may not capture anything: their context comes as
// a pointer to the connection, which outlives libcurl's handles.

private func connection(_ pointer: UnsafeMutableRawPointer?) -> CurlConnection? {
  pointer.map { Unmanaged<CurlConnection>.fromOpaque($0).takeUnretainedValue() }
}

/// libcurl is about to look the peer's name up: a connection is being opened.
private func connectionResolving(
  _ resolver: UnsafeMutableRawPointer?, _ reserved: UnsafeMutableRawPointer?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  connection(context)?.resolving() ?? false ? 0 : 1
}

/// libcurl has an address of a host that a device has chosen.
private func connectionSocketWanted(
  _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
  _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let address, connection(context)?.mayConnect(to: address) ?? false else { return CURL_SOCKET_BAD }
  return GlobalAddress.openSocket(address.pointee)
}

private func connectionSocketOpened(
  _ context: UnsafeMutableRawPointer?, _ fd: curl_socket_t, _ purpose: curlsocktype
) -> Int32 {
  Int32(connection(context)?.opened(fd) ?? false ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR)
}

private func connectionSocketClosing(_ context: UnsafeMutableRawPointer?, _ fd: curl_socket_t) -> Int32 {
  connection(context)?.closing(fd)
  return close(fd)
}

/// The connection stands, and a request may go onto it.
private func connectionConnected(
  _ context: UnsafeMutableRawPointer?, _ peer: UnsafeMutablePointer<CChar>?,
  _ local: UnsafeMutablePointer<CChar>?, _ peerPort: Int32, _ localPort: Int32
) -> Int32 {
  Int32(
    connection(context)?.connected(localPort: localPort) ?? false
      ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT)
}

private func connectionSocketInterest(
  _ easy: UnsafeMutableRawPointer?, _ fd: curl_socket_t, _ what: Int32, _ context: UnsafeMutableRawPointer?,
  _ socketContext: UnsafeMutableRawPointer?
) -> Int32 {
  connection(context)?.interestChanged(fd, to: what)
  return 0
}

private func connectionTimer(
  _ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  connection(context)?.timerChanged(milliseconds)
  return 0
}
