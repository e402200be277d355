import CCurl
import Measurement
import Providers

/// A libcurl easy handle and all that belongs to the request on it, used over and over. Belongs to the timing thread.
final class Transfer {
  enum Stage {
    /// In the pool.
    case idle
    /// Its request is made; not with libcurl yet.
    case ready
    /// With libcurl, which has not begun to send.
    case handed
    /// libcurl began to send it.
    case started
  }

  let easy: UnsafeMutableRawPointer
  unowned let target: TargetTransport
  var stage = Stage.idle
  var notification = PlannedNotification(sequence: 0, planned: .zero)

  /// It is the one that libcurl opens a connection for.
  var isOpening = false
  /// libcurl said or showed that it would send it again.
  var wasRetried = false
  /// libcurl said that the peer had not processed it.
  var wasRefused = false
  /// How often it is on the wire once it was sent: 1, or 2 after a refusal.
  var attempt = 1
  /// What the first attempt came to.
  var firstFailure: TransferFailure?
  /// Under which epoch of ``CredentialCircuitBreaker`` it left.
  var credentialEpoch = 0
  /// libcurl's complaint and the socket's state when that was noticed.
  var messageAtRetry = ""
  var socketAtRetry = TransferFailure.Socket.unknown
  var connection: Connection?
  /// The number of its HTTP/2 stream.
  var stream = 0
  var use: ConnectionUse?
  /// When libcurl was about to send; `sent` is not earlier.
  var startedAt = MonotonicTime.zero
  var sent: MonotonicTime?
  private(set) var answer: (time: MonotonicTime, source: TimestampSource)?
  private(set) var status = 0
  private(set) var headerLines: [UInt8] = []
  private(set) var responseBody: [UInt8] = []
  private(set) var isTooLarge = false
  /// One call into libcurl did not give all header lines of the answer.
  var comesInPieces = false
  private var headerBudget = HeaderBudget()

  private let errorText: UnsafeMutablePointer<CChar>
  private var request = PushRequest(url: "")
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var url: OpaquePointer?
  private var body: UnsafeMutableRawBufferPointer

  init?(target: TargetTransport) {
    guard let easy = curl_easy_init() else { return nil }
    self.easy = easy
    self.target = target
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText[0] = 0
    body = .allocate(byteCount: 0, alignment: 1)
    configure()
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(headerList)
    curl_url_cleanup(url)
    errorText.deallocate()
    body.deallocate()
  }

  var payloadBytes: Int { request.body.count }
  var secrets: RequestSecrets { RequestSecrets(of: request) }
  var errorMessage: String { String(cString: errorText) }

  // MARK: Setting up

  /// What is the same for every request of the target.
  private func configure() {
    let this = Unmanaged.passUnretained(self).toOpaque()
    let owner = Unmanaged.passUnretained(target).toOpaque()
    CurlSetup.secure(
      easy, caFile: target.target.caFile, clientCertificate: target.target.clientCertificate)
    ccurl_easy_set_pointer(easy, CURLOPT_PRIVATE, this)
    ccurl_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_PIPEWAIT, 1),
      (CURLOPT_POST, 1),
      (CURLOPT_TIMEOUT_MS, Int((target.target.timeout.microseconds + 999) / 1000)),
      (CURLOPT_CONNECTTIMEOUT_MS, Int(ReconnectBackoff.longestAttempt.microseconds / 1000)),
      // Nothing may end a connection that is used once an hour; the default is 118 s.
      (CURLOPT_MAXAGE_CONN, 24 * 3600),
      // Without any meaning for http, but what libcurl asks before it sends a request again that got nothing on a used
      // connection (Curl_retry_request): there it would not say whether the peer had refused it or the connection died.
      (CURLOPT_RTSP_REQUEST, ccurl_rtsp_request_receive()),
      (CURLOPT_TCP_KEEPIDLE, 60),
      (CURLOPT_TCP_KEEPINTVL, 15),
    ]
    for (option, value) in numbers { ccurl_easy_set_long(easy, option, value) }
    ccurl_easy_set_data_function(easy, CURLOPT_HEADERFUNCTION, curlHeader)
    ccurl_easy_set_pointer(easy, CURLOPT_HEADERDATA, this)
    ccurl_easy_set_data_function(easy, CURLOPT_WRITEFUNCTION, curlBody)
    ccurl_easy_set_pointer(easy, CURLOPT_WRITEDATA, this)
    ccurl_easy_set_prereq_function(easy, curlAboutToSend)
    ccurl_easy_set_pointer(easy, CURLOPT_PREREQDATA, this)
    ccurl_easy_set_resolver_start_function(easy, curlResolving)
    ccurl_easy_set_pointer(easy, CURLOPT_RESOLVER_START_DATA, this)
    ccurl_easy_set_sockopt_function(easy, curlSocketOpened)
    ccurl_easy_set_pointer(easy, CURLOPT_SOCKOPTDATA, this)
    ccurl_easy_set_close_socket_function(easy, curlSocketClosing)
    ccurl_easy_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, owner)
    ccurl_easy_set_debug_function(easy, curlText)
    ccurl_easy_set_pointer(easy, CURLOPT_DEBUGDATA, this)
  }

  /// Makes the request for a notification. What is the same as on the handle's last one is not set again.
  func prepare(_ notification: PlannedNotification, _ next: PushRequest) {
    self.notification = notification
    stage = .ready
    if next.url != request.url || url == nil { set(url: next.url) }
    if next.method != request.method {
      ccurl_easy_set_pointer(easy, CURLOPT_CUSTOMREQUEST, next.method == "POST" ? nil : next.method)
    }
    if next.headers != request.headers || headerList == nil { set(headers: next.headers) }
    if next.body != request.body || body.count == 0 { set(body: next.body) }
    request = next
  }

  private func set(url text: String) {
    curl_url_cleanup(url)
    url = curl_url()
    // Parsed from a text that was tried when the target was taken.
    curl_url_set(url, CURLUPART_URL, text, 0)
    ccurl_easy_set_pointer(easy, CURLOPT_CURLU, UnsafeRawPointer(url))
  }

  private func set(headers: [HeaderField]) {
    let list = CurlSetup.headerList(headers)
    ccurl_easy_set_pointer(easy, CURLOPT_HTTPHEADER, list)
    curl_slist_free_all(headerList)
    headerList = list
  }

  /// The bytes stay in the handle's own memory while libcurl sends from there.
  private func set(body bytes: [UInt8]) {
    if body.count < max(1, bytes.count) {
      body.deallocate()
      body = .allocate(byteCount: max(256, bytes.count * 2), alignment: 1)
    }
    body.copyBytes(from: bytes)
    ccurl_easy_set_pointer(easy, CURLOPT_POSTFIELDS, body.baseAddress)
    ccurl_easy_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, bytes.count)
  }

  /// Makes libcurl say what it only says in text, or keeps it quiet.
  func setTalkative(_ isTalkative: Bool) {
    ccurl_easy_set_long(easy, CURLOPT_VERBOSE, isTalkative ? 1 : 0)
  }

  /// Forgets the last request's course, for the next use.
  func recycle() {
    stage = .idle
    isOpening = false
    wasRetried = false
    wasRefused = false
    attempt = 1
    firstFailure = nil
    messageAtRetry = ""
    socketAtRetry = .unknown
    connection = nil
    use = nil
    sent = nil
    answer = nil
    status = 0
    headerLines.removeAll(keepingCapacity: true)
    responseBody.removeAll(keepingCapacity: true)
    isTooLarge = false
    comesInPieces = false
    headerBudget = HeaderBudget()
    errorText[0] = 0
    setTalkative(false)
  }

  // MARK: The answer, as libcurl hands it over

  /// One header line. The last block counts whose status is no interim one (RFC 9110, section 15.2); its empty line is
  /// the instant at which the answer's headers are complete. Trailers come later and are dropped.
  /// - Returns: whether the peer may go on.
  func take(headerLine line: UnsafeRawBufferPointer) -> Bool {
    guard headerBudget.take(line.count) else {
      isTooLarge = true
      return false
    }
    guard answer == nil else { return true }
    if line.first == UInt8(ascii: "\r") || line.first == UInt8(ascii: "\n") {
      if status >= 200 { answer = target.stampAnswer(of: self) }
    } else if let first = StatusLine(line) {
      headerLines.removeAll(keepingCapacity: true)
      status = first.status
    } else if headerLines.count + line.count <= ResponseHeaders.maximumBytes {
      headerLines.append(contentsOf: line)
    }
    if answer == nil || comesInPieces {
      target.partlyRead = self
    } else if target.partlyRead === self {
      target.partlyRead = nil
    }
    return true
  }

  /// - Returns: whether there is still room.
  func take(body bytes: UnsafeRawBufferPointer) -> Bool {
    guard responseBody.count + bytes.count <= PushResponse.maximumBodyBytes else {
      isTooLarge = true
      return false
    }
    responseBody.append(contentsOf: bytes)
    if comesInPieces { target.partlyRead = self }
    return true
  }
}
