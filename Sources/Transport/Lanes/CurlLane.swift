import CCurl
import CLinux
import Glibc
import HTTPClient
import Measurement
import Providers

/// Requests by libcurl itself, one at a time on one connection: HTTP/1.1, and whatever libcurl negotiates where its TLS library
/// does not let us carry the bytes (``CurlConnection/carriesBytes``).
///
/// While nothing is under way the peer has nothing to say but farewell (RFC 9112, section 9.5): what comes then ends the lane,
/// and the next request opens another connection instead of failing on this one.
final class CurlLane: Lane {
  enum Version {
    case http1
    /// What libcurl negotiates by ALPN.
    case negotiated
  }

  /// The request that is under way.
  private struct Exchange {
    let request: OutgoingRequest
    /// libcurl put it on the connection.
    var startedAt: MonotonicTime?
    var answer = CurlAnswer(bodyLimit: PushResponse.maximumBodyBytes)
    var answeredAt: (time: MonotonicTime, source: TimestampSource)?
  }

  let origin: Origin
  private unowned(unsafe) let environment: any LaneEnvironment
  private let connection: CurlConnection
  /// Appended to failures that may follow from it.
  private let remark: String
  private var exchange: Exchange?
  private var events: [LaneEvent] = []
  private var id: Int64 = 0
  private var stoodAt = MonotonicTime.zero
  private var heardAt = MonotonicTime.zero
  /// What the kernel said of the bytes that libcurl is reading right now.
  private var window: ReceiveWindow?
  private var health = ConnectionHealth()
  private var speaksHTTP2 = false
  private(set) var isOver = false

  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var body: UnsafeMutableRawBufferPointer

  /// Opens a connection for a request.
  /// - Parameter remark: what the failure of a request may follow from, such as that the peer took no part in ALPN.
  /// - Returns: `nil` when libcurl gives no handle.
  init?(
    for request: OutgoingRequest, version: Version, remark: String, target: TransportTarget, index: Int,
    environment: any LaneEnvironment
  ) {
    guard
      let connection = CurlConnection(.requests, target: target, index: index, environment: environment)
    else { return nil }
    self.environment = environment
    self.connection = connection
    self.remark = remark
    origin = request.url.origin
    body = .allocate(byteCount: 256, alignment: 1)
    let this = Unmanaged.passUnretained(self).toOpaque()
    let easy = connection.easy
    ccurl_easy_set_long(easy, CURLOPT_POST, 1)
    if version == .http1 { ccurl_easy_set_long(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1) }
    ccurl_easy_set_data_function(easy, CURLOPT_HEADERFUNCTION, laneHeader)
    ccurl_easy_set_pointer(easy, CURLOPT_HEADERDATA, this)
    ccurl_easy_set_data_function(easy, CURLOPT_WRITEFUNCTION, laneBody)
    ccurl_easy_set_pointer(easy, CURLOPT_WRITEDATA, this)
    connection.mayStart = { [unowned self] in mayStart() }
    start(request)
  }

  deinit {
    curl_slist_free_all(headerList)
    body.deallocate()
  }

  // MARK: What it takes

  var opening: ConnectionStage? {
    guard let exchange, !connection.stands, !isOver else { return nil }
    return exchange.startedAt == nil ? connection.stage : nil
  }

  var isUsable: Bool { connection.stands && !isOver }
  var inFlight: Int { exchange?.startedAt == nil ? 0 : 1 }
  var freePlaces: Int { isUsable && exchange == nil ? 1 : 0 }

  /// Only what fits into one segment can be held: the kernel sends full ones at once.
  func canHold(_ request: OutgoingRequest) -> Bool {
    health.hasAnswered && freePlaces > 0 && request.request.body.count + 700 <= connection.segmentSize
  }

  func accept(_ request: OutgoingRequest) { start(request) }

  private func start(_ request: OutgoingRequest) {
    request.taken = environment.now()
    exchange = Exchange(request: request)
    if connection.stands {
      // A stamp that was late would make libcurl take the connection for dead.
      CorkedSocket(fd: connection.fd).dropSentStamps()
    }
    let easy = connection.easy
    connection.clearMessage()
    ccurl_easy_set_pointer(easy, CURLOPT_URL, request.url.text)
    let method = request.request.method
    ccurl_easy_set_pointer(easy, CURLOPT_CUSTOMREQUEST, method == "POST" ? nil : method)
    let list = CurlSetup.headerList(request.request.headers)
    ccurl_easy_set_pointer(easy, CURLOPT_HTTPHEADER, list)
    curl_slist_free_all(headerList)
    headerList = list
    set(body: request.request.body)
    connection.start()
    settle()
  }

  /// The bytes stay in memory of our own while libcurl sends from there.
  private func set(body bytes: [UInt8]) {
    if body.count < bytes.count {
      body.deallocate()
      body = .allocate(byteCount: bytes.count * 2, alignment: 1)
    }
    body.copyBytes(from: bytes)
    ccurl_easy_set_pointer(connection.easy, CURLOPT_POSTFIELDS, body.baseAddress)
    ccurl_easy_set_offset(connection.easy, CURLOPT_POSTFIELDSIZE_LARGE, bytes.count)
  }

  func cancelOpening() -> OutgoingRequest? {
    guard let exchange, exchange.startedAt == nil else { return nil }
    isOver = true
    self.exchange = nil
    connection.close()
    return exchange.request
  }

  func exchangeEvents(with taken: inout [LaneEvent]) { swap(&taken, &events) }

  /// The connection stands and libcurl is about to write the request to it.
  private func mayStart() -> Bool {
    guard let request = exchange?.request, exchange?.startedAt == nil else { return false }
    let now = environment.now()
    let isFresh = id == 0
    let socket = CorkedSocket(fd: connection.fd)
    if isFresh {
      id = environment.nextConnectionID()
      stoodAt = now
      socket.stampSent()
      events.append(.connected(id))
    }
    socket.cork()
    exchange?.startedAt = now
    request.use = ConnectionUse(
      id: id, age: (now - stoodAt).milliseconds, isFresh: isFresh, streamsInFlight: 1,
      phases: isFresh ? connection.phases : nil)
    return true
  }

  // MARK: Sending

  /// What libcurl wrote is held by the cork already.
  func hold() {}

  func flush() {
    guard let exchange, exchange.startedAt != nil, exchange.request.sent == nil, connection.fd >= 0 else {
      return
    }
    let socket = CorkedSocket(fd: connection.fd)
    let began = environment.now()
    socket.uncork()
    let window = SendWindow(began: began, ended: environment.now())
    let departure = window.departure(among: socket.drainSentStamps(offset: environment.offset))
    recordSent(at: departure ?? began, isKernel: departure != nil)
  }

  private func recordSent(at instant: MonotonicTime, isKernel: Bool) {
    guard let request = exchange?.request, request.sent == nil else { return }
    let sent = max(instant, request.notification.planned)
    request.sent = sent
    events.append(.sent(request, at: sent, isKernel: isKernel))
  }

  // MARK: Receiving

  func owns(_ fd: Int32) -> Bool { connection.owns(fd) }

  func socketReady(_ event: Poller.Readiness, fd: Int32) {
    guard !isOver else { return }
    let isConnection = fd == connection.fd
    let socket = CorkedSocket(fd: fd)
    // An error that is one comes with the end of the stream, or again.
    let isError = event.isError && !(isConnection && socket.dropSentStamps())
    let isReadable = event.isReadable || isError
    guard isReadable || event.isWritable else { return }
    guard exchange != nil else {
      if isReadable { handleUnsolicited() }
      return
    }
    if isConnection, isReadable {
      window = socket.peek(at: environment.now(), offset: environment.offset)
      if let window { heardAt = window.lookedAt }
    }
    connection.act(on: fd, readable: isReadable, writable: event.isWritable, error: isError)
    window = nil
    settle()
  }

  /// Something came while no request was under way.
  private func handleUnsolicited() {
    // HTTP/2 has frames that need no request; libcurl looks at them when it uses the connection again.
    if speaksHTTP2 { return connection.ignore() }
    finish("0 unanswered")
  }

  private func settle() {
    guard let code = connection.nextResult(), let exchange else { return }
    let status = ccurl_easy_get_long(connection.easy, CURLINFO_RESPONSE_CODE)
    speaksHTTP2 = ccurl_easy_get_long(connection.easy, CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0
    let stage = exchange.startedAt == nil ? connection.stage : .sent
    connection.removeHandle()
    if let startedAt = exchange.startedAt { recordSent(at: startedAt, isKernel: false) }
    self.exchange = nil
    if code == CURLE_OK, let answer = exchange.answeredAt {
      health.recordAnswer()
      events.append(
        .answered(
          exchange.request,
          LaneAnswer(
            status: status, headerLines: exchange.answer.headerLines, body: exchange.answer.body,
            version: speaksHTTP2 ? .http2 : .http1, at: answer.time, source: answer.source)))
      if connection.fd < 0 { finish("0 unanswered") } else { connection.watch(clinux_epoll_in) }
      return
    }
    var failure = RequestFailure(
      code == CURLE_OK ? CURLE_GOT_NOTHING : code, stage: stage, message: connection.message,
      isTooLarge: exchange.answer.isTooLarge, socket: connection.socketState)
    failure.detail += remark
    guard stage == .sent else {
      isOver = true
      connection.close()
      events.append(.failedToConnect(exchange.request, failure))
      return
    }
    events.append(.failed(exchange.request, failure))
    let isSilent = code == CURLE_OPERATION_TIMEDOUT && heardAt < (exchange.request.sent ?? .zero)
    finish(
      isSilent ? "given up after silence" : failure.isLossOfConnection ? "1 unanswered" : "0 unanswered",
      by: failure)
  }

  // MARK: The clock

  func step(at now: MonotonicTime) {
    guard !isOver, let timer = connection.timer, timer <= now else { return }
    connection.runTimers()
    settle()
    flush()
  }

  var deadline: MonotonicTime? { isOver ? nil : connection.timer }

  func settleInterests() { connection.settleInterests() }

  // MARK: The end

  private func finish(_ detail: String, by failure: RequestFailure? = nil) {
    guard !isOver else { return }
    if id > 0, let fault = health.recordEnd(by: failure) { events.append(.faulty(fault)) }
    end(detail)
  }

  private func end(_ detail: String) {
    isOver = true
    connection.close()
    if id > 0 { events.append(.disconnected(connection: id, detail: detail)) }
  }

  func close() {
    guard !isOver else { return }
    let count = inFlight
    exchange = nil
    end("\(count) unanswered")
  }

  // MARK: The answer, as libcurl hands it over

  /// The end of the final answer's headers is the instant that counts.
  /// - Returns: whether the peer may go on.
  fileprivate func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
    guard exchange?.answer.receive(headerLine: line) ?? false else { return false }
    if let exchange, exchange.answer.hasHeaders, exchange.answeredAt == nil {
      let now = environment.now()
      let sent = exchange.request.sent ?? exchange.startedAt ?? now
      self.exchange?.answeredAt = window?.stamp(callback: now, sent: sent) ?? (now, .callback)
    }
    return true
  }

  /// - Returns: whether there is still room.
  fileprivate func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
    exchange?.answer.receive(body: bytes) ?? false
  }
}

private func lane(_ pointer: UnsafeMutableRawPointer?) -> CurlLane? {
  pointer.map { Unmanaged<CurlLane>.fromOpaque($0).takeUnretainedValue() }
}

private func laneHeader(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  // Any other number than the one given ends the transfer.
  return lane(context)?.receive(headerLine: line) ?? false ? size * count : 0
}

private func laneBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return lane(context)?.receive(body: part) ?? false ? size * count : Int(CURL_WRITEFUNC_ERROR)
}
