import CNghttp2
import Measurement
import Providers

/// The client's side of one HTTP/2 connection (RFC 9113): requests go in and bytes come out, bytes go in and events come out.
///
/// It does no I/O, reads no clock and owns no socket: whoever owns the connection passes on what ``write(into:)`` appends and
/// gives ``receive(_:at:)`` what arrived, TLS record by TLS record where each event needs the time of its own record. Frames,
/// HPACK, flow control and HTTP's rules are libnghttp2's. Not safe to share between threads.
///
/// A session that cannot go on has a ``failure``; ``write(into:)`` still gives the GOAWAY that says so to the peer.
final class HTTP2Session {
  enum SubmitError: Error, Hashable {
    /// The peer allows no further stream now, it sent GOAWAY, or the session failed.
    case noStream
    /// A header or a pseudo-header field cannot go onto the wire; nothing was submitted.
    case invalidField(name: String)
  }

  /// One request and what has come of its response. An object: libnghttp2's callbacks change it piece by piece.
  private final class Stream {
    var body: [UInt8]
    var bodySent = 0
    /// The header fields, which libnghttp2 refers to until they are written.
    var fields: HTTP2RequestFields?
    var isWritten = false
    /// Its end was told; what is left is libnghttp2's closing of the stream.
    var isEnded = false
    /// The end to tell when libnghttp2 closes the stream, where its error code says less.
    var knownEnd: HTTP2StreamEnd?

    /// The status of the final response; 0 before its HEADERS.
    var status = 0
    var headerSize = HTTP2HeaderSize()
    var continuations = 0
    var headerLines: [UInt8] = []
    var responseBody: [UInt8] = []

    init(body: [UInt8], fields: HTTP2RequestFields) {
      self.body = body
      self.fields = fields
    }
  }

  /// A frame that is told of when its bytes are counted.
  private enum WrittenFrame {
    /// The last one of a request.
    case request(Int32)
    case ping(UInt64)
  }

  /// Why nothing more can be sent or received on the connection; nil while it can.
  private(set) var failure: HTTP2SessionFailure?
  private(set) var peerSettings = HTTP2PeerSettings()
  private(set) var goaway: HTTP2Goaway?
  /// Bytes that ``write(into:)`` has given so far.
  private(set) var bytesWritten = 0

  private let limits: HTTP2Limits
  private var session: OpaquePointer?
  private var streams = StreamTable<Stream>()
  private let block: HTTP2HeaderBlock<Stream>
  private var events: [HTTP2Event] = []
  private var now: MonotonicTime
  private var budgets: HTTP2FrameBudgets
  /// libnghttp2 tells of a frame while it gives its last bytes to ``write(into:)``, before they are counted.
  private var writtenFrame: WrittenFrame?
  /// libnghttp2's last complaint.
  private var complaint = ""
  /// libnghttp2's session may only be deleted.
  private var isFatal = false

  /// - Throws: ``HTTP2SessionFailure`` where libnghttp2 finds no memory.
  init(limits: HTTP2Limits = HTTP2Limits(), at now: MonotonicTime) throws {
    self.limits = limits
    self.now = now
    budgets = HTTP2FrameBudgets(limits, at: now)
    block = HTTP2HeaderBlock(
      capacity: limits.headerBytes + limits.headerFields * HTTP2HeaderBlock<Stream>.lineOverhead)
    session = try HTTP2Callbacks.makeSession(for: self)
    // A response larger than the stream's window is one that is larger than the limit: the peer has to stop by itself.
    var settings = [
      nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
      nghttp2_settings_entry(
        settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: UInt32(limits.bodyBytes)),
      nghttp2_settings_entry(
        settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue), value: UInt32(limits.headerBytes)),
    ]
    nghttp2_submit_settings(session, 0, &settings, settings.count)
    nghttp2_session_set_local_window_size(session, 0, 0, Self.connectionWindow)
  }

  deinit { nghttp2_session_del(session) }

  /// Bytes of responses that the peer may have under way on the whole connection.
  static let connectionWindow: Int32 = 1 << 20

  // MARK: Requests

  /// How many requests the peer takes now.
  var freeStreams: Int {
    guard failure == nil, goaway == nil else { return 0 }
    guard nghttp2_session_get_next_stream_id(session) < UInt32(Int32.max) else { return 0 }
    return max(0, peerSettings.maximumConcurrentStreams - streams.count)
  }

  /// Queues a request; ``write(into:)`` gives its bytes.
  /// - Returns: the number of its stream.
  func submit(_ fields: HTTP2RequestFields, body: [UInt8]) throws(SubmitError) -> Int32 {
    guard freeStreams > 0 else { throw .noStream }
    var provider = nghttp2_data_provider()
    provider.read_callback = HTTP2Callbacks.readBody
    let stream = withUnsafePointer(to: &provider) {
      nghttp2_submit_request(session, nil, fields.first, fields.count, body.isEmpty ? nil : $0, nil)
    }
    guard stream > 0 else { throw .noStream }
    streams.insert(Stream(body: body, fields: fields), at: stream)
    return stream
  }

  /// Resets a stream with CANCEL; ``HTTP2Event/ended(stream:_:)`` follows.
  func cancel(_ stream: Int32) {
    guard let state = openStream(stream) else { return }
    end(stream, state, .cancelled)
    nghttp2_submit_rst_stream(session, 0, stream, HTTP2ErrorCode.cancel.rawValue)
  }

  /// Queues a PING with these 8 bytes; ``HTTP2Event/pong(_:)`` tells the answer.
  func ping(_ data: UInt64) {
    withUnsafeBytes(of: data.bigEndian) {
      _ = nghttp2_submit_ping(session, 0, $0.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }
  }

  // MARK: Bytes

  /// Receives what arrived, whole frames or any parts of them.
  /// - Parameter now: the instant that frame rates are counted at.
  func receive(_ bytes: UnsafeRawBufferPointer, at now: MonotonicTime) {
    guard failure == nil else { return }
    self.now = now
    let taken = nghttp2_session_mem_recv(
      session, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    if taken < 0 {
      isFatal = true
      fail(with: Int32(taken))
    }
  }

  /// Appends everything that can go out now, as one piece: what a batch of requests needs is one write to the socket.
  func write(into buffer: inout [UInt8]) {
    var bytes: UnsafePointer<UInt8>?
    while !isFatal {
      let count = nghttp2_session_mem_send(session, &bytes)
      guard count > 0 else {
        guard count < 0 else { return }
        isFatal = true
        return fail(with: Int32(count))
      }
      bytesWritten += count
      buffer.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
      guard let frame = writtenFrame else { continue }
      writtenFrame = nil
      switch frame {
      case .request(let stream): events.append(.requestWritten(stream: stream, offset: bytesWritten))
      case .ping(let data): events.append(.pingWritten(data, offset: bytesWritten))
      }
    }
  }

  /// Gives what came about since the last call, in order, without giving memory away.
  /// - Parameter taken: empty before.
  func exchangeEvents(with taken: inout [HTTP2Event]) { swap(&taken, &events) }

  private func fail(with code: Int32) {
    guard failure == nil else { return }
    failure = HTTP2SessionFailure(
      code: code == NGHTTP2_ERR_NOMEM.rawValue ? .outOfMemory : .protocolError,
      detail: complaint.isEmpty ? HTTP2Callbacks.text(of: code) : complaint)
  }

  /// What is left of the bytes that arrived together is still read, without consequence: an error from a callback would be
  /// fatal to libnghttp2's session, and the peer would never be told.
  private func exceed(_ kind: HTTP2Limits.Kind, _ text: String) -> Int32 {
    guard failure == nil else { return 0 }
    failure = HTTP2SessionFailure(code: .exceeded(kind), detail: text)
    nghttp2_session_terminate_session(session, HTTP2ErrorCode.enhanceYourCalm.rawValue)
    return 0
  }

  /// A stream whose end has not been told.
  private func openStream(_ id: Int32) -> Stream? {
    guard let state = streams[id], !state.isEnded else { return nil }
    return state
  }

  private func end(_ stream: Int32, _ state: Stream, _ how: HTTP2StreamEnd) {
    guard !state.isEnded else { return }
    state.isEnded = true
    state.headerLines = []
    state.responseBody = []
    events.append(.ended(stream: stream, how))
  }

  // MARK: What libnghttp2 tells (HTTP2Callbacks)

  func frameBegins(_ header: nghttp2_frame_hd) -> Int32 {
    let excess: HTTP2Limits.Kind?
    switch nghttp2_frame_type(UInt32(header.type)) {
    case NGHTTP2_HEADERS:
      streams[header.stream_id]?.continuations = 0
      excess = openStream(header.stream_id) == nil ? budgets.spendLate(header.length, at: now) : nil
    case NGHTTP2_CONTINUATION:
      // libnghttp2 ends the session itself where the stream is not the one whose block is open.
      guard let state = streams[header.stream_id] else {
        excess = budgets.spendLate(header.length, at: now)
        break
      }
      state.continuations += 1
      guard state.continuations <= limits.continuations else {
        return exceed(
          .continuations,
          "a header block of the peer has more than \(limits.continuations) CONTINUATION frames")
      }
      excess = nil
    case NGHTTP2_SETTINGS where header.flags & cnghttp2_flag_ack != 0: excess = nil
    case NGHTTP2_DATA where header.length > 0:
      excess = openStream(header.stream_id) == nil ? budgets.spendLate(header.length, at: now) : nil
    case NGHTTP2_SETTINGS: excess = budgets.spend(.settings, at: now)
    case NGHTTP2_PING: excess = budgets.spend(.pings, at: now)
    case NGHTTP2_RST_STREAM: excess = budgets.spend(.resets, at: now)
    case NGHTTP2_WINDOW_UPDATE: excess = budgets.spend(.windowUpdates, at: now)
    default: excess = budgets.spend(.others, at: now)
    }
    return excess.map { exceed($0, "the peer sent too many \($0.rawValue)") } ?? 0
  }

  func headersBegin(_ frame: UnsafePointer<nghttp2_frame>) -> Int32 {
    let state = openStream(frame.pointee.hd.stream_id)
    block.begin(state, after: state?.headerSize ?? HTTP2HeaderSize(), keepsLines: state?.status == 0)
    return 0
  }

  func header(
    _ frame: UnsafePointer<nghttp2_frame>, name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>
  ) -> Int32 {
    guard block.isOwned else { return 0 }
    block.count(name, value)
    let size = block.size
    if size.bytes > limits.headerBytes || size.fields > limits.headerFields {
      // Told at once: the stream is closed only when its RST_STREAM is written, and a peer that does not stop comes first.
      if let state = block.owner {
        end(
          frame.pointee.hd.stream_id, state,
          .exceeded(size.bytes > limits.headerBytes ? .headerBytes : .headerFields))
      }
      block.begin(nil)
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }
    if name.first == UInt8(ascii: ":") {
      // `:status` with three digits: libnghttp2 has seen to that, and to there being no other of these.
      block.status = value.count == 3 ? value.reduce(0) { $0 * 10 + Int($1) - 0x30 } : 0
    } else if block.keepsLines, block.status >= 200 {
      block.append(name, value)
    }
    return 0
  }

  func data(_ id: Int32, _ bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
    guard let state = openStream(id) else { return 0 }
    guard state.responseBody.count + bytes.count <= limits.bodyBytes else {
      end(id, state, .exceeded(.bodyBytes))
      nghttp2_submit_rst_stream(session, 0, id, HTTP2ErrorCode.cancel.rawValue)
      return 0
    }
    state.responseBody.append(contentsOf: bytes)
    return 0
  }

  func frameArrived(_ frame: UnsafePointer<nghttp2_frame>) -> Int32 {
    let header = frame.pointee.hd
    switch nghttp2_frame_type(UInt32(header.type)) {
    case NGHTTP2_HEADERS:
      if let state = openStream(header.stream_id) {
        state.headerSize = block.size
        if state.status == 0, block.status >= 200 {
          state.status = block.status
          state.headerLines = block.lines
          events.append(.responded(stream: header.stream_id, status: block.status))
        }
      }
      responseMayEnd(header)
    case NGHTTP2_DATA:
      responseMayEnd(header)
    case NGHTTP2_SETTINGS where header.flags & cnghttp2_flag_ack == 0:
      peerSettings = HTTP2PeerSettings(of: session)
      events.append(.settings(peerSettings))
    case NGHTTP2_RST_STREAM:
      let code = HTTP2ErrorCode(rawValue: frame.pointee.rst_stream.error_code)
      if let state = streams[header.stream_id], state.knownEnd == nil { state.knownEnd = .reset(code) }
    case NGHTTP2_GOAWAY:
      let told = frame.pointee.goaway
      let debug = UnsafeBufferPointer(
        start: told.opaque_data, count: min(told.opaque_data_len, HTTP2Goaway.maximumDebugBytes))
      let goaway = HTTP2Goaway(
        lastStream: told.last_stream_id, code: HTTP2ErrorCode(rawValue: told.error_code), debug: Array(debug))
      self.goaway = goaway
      events.append(.goaway(goaway))
    case NGHTTP2_PING where header.flags & cnghttp2_flag_ack != 0:
      events.append(.pong(Self.data(of: frame.pointee.ping)))
    default: break
    }
    return 0
  }

  private static func data(of ping: nghttp2_ping) -> UInt64 {
    UInt64(bigEndian: withUnsafeBytes(of: ping.opaque_data) { $0.loadUnaligned(as: UInt64.self) })
  }

  private func responseMayEnd(_ header: nghttp2_frame_hd) {
    guard header.flags & cnghttp2_flag_end_stream != 0, let state = openStream(header.stream_id),
      state.status != 0
    else { return }
    end(
      header.stream_id, state,
      .completed(
        HTTP2Response(status: state.status, headerLines: state.headerLines, body: state.responseBody)))
    // A response that came before the request was out needs no more of it.
    if nghttp2_session_get_stream_local_close(session, header.stream_id) == 0 {
      nghttp2_submit_rst_stream(session, 0, header.stream_id, HTTP2ErrorCode.cancel.rawValue)
    }
  }

  func frameWritten(_ frame: UnsafePointer<nghttp2_frame>) -> Int32 {
    let header = frame.pointee.hd
    let type = nghttp2_frame_type(UInt32(header.type))
    if type == NGHTTP2_GOAWAY, failure == nil, frame.pointee.goaway.error_code != 0 {
      fail(with: NGHTTP2_ERR_PROTO.rawValue)
    }
    if type == NGHTTP2_PING, header.flags & cnghttp2_flag_ack == 0 {
      writtenFrame = .ping(Self.data(of: frame.pointee.ping))
    }
    guard type == NGHTTP2_HEADERS || type == NGHTTP2_DATA, header.flags & cnghttp2_flag_end_stream != 0,
      let state = streams[header.stream_id], !state.isWritten
    else { return 0 }
    state.isWritten = true
    state.body = []
    state.fields = nil
    budgets.recordRequestWritten()
    writtenFrame = .request(header.stream_id)
    return 0
  }

  func frameNotWritten(_ frame: UnsafePointer<nghttp2_frame>, code: Int32) -> Int32 {
    let header = frame.pointee.hd
    guard nghttp2_frame_type(UInt32(header.type)) == NGHTTP2_HEADERS else { return 0 }
    close(header.stream_id) { .unsent(HTTP2Callbacks.text(of: code)) }
    return 0
  }

  func frameInvalid(_ frame: UnsafePointer<nghttp2_frame>, code: Int32) -> Int32 {
    let stream = frame.pointee.hd.stream_id
    let text = complaint.isEmpty ? HTTP2Callbacks.text(of: code) : complaint
    if let state = streams[stream], state.knownEnd == nil { state.knownEnd = .malformed(text) }
    return 0
  }

  func streamClosed(_ stream: Int32, code: UInt32) -> Int32 {
    close(stream) {
      if let goaway = self.goaway, stream > goaway.lastStream { return .aboveGoaway }
      // The peer's resets are known: this one is libnghttp2's.
      return .malformed("the response broke HTTP's rules (\(HTTP2ErrorCode(rawValue: code)))")
    }
    return 0
  }

  /// - Parameter how: of a stream whose end is not known yet.
  private func close(_ stream: Int32, _ how: () -> HTTP2StreamEnd) {
    guard let state = streams.remove(stream), !state.isEnded else { return }
    end(stream, state, state.knownEnd ?? how())
  }

  func readBody(
    _ stream: Int32, into buffer: UnsafeMutableBufferPointer<UInt8>, flags: UnsafeMutablePointer<UInt32>
  ) -> Int {
    guard let state = streams[stream] else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
    let count = min(buffer.count, state.body.count - state.bodySent)
    _ = buffer.update(fromContentsOf: state.body[state.bodySent..<(state.bodySent + count)])
    state.bodySent += count
    if state.bodySent == state.body.count { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return count
  }

  func complains(_ text: String) { complaint = text }
}
