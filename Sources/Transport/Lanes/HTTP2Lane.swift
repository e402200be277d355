import CCurl
import CLinux
import Glibc
import Measurement
import Providers

/// HTTP/2 on one connection: libcurl opens it and carries its bytes, ``HTTP2Session`` makes the frames, and the kernel's stamps
/// of what was sent and received are matched to streams by byte offsets and TLS records.
///
/// A new connection is primed: it takes one request, and more only after that one was answered (APNs allows a single stream
/// until it has seen a good token, and bursts on fresh connections break many servers). After that the limit is the peer's
/// SETTINGS_MAX_CONCURRENT_STREAMS (RFC 9113, section 6.5.2) or the target's own.
final class HTTP2Lane: Lane {
  private enum State {
    /// libcurl opens the connection for a request.
    case opening(OutgoingRequest)
    case open(TLSChannel)
    case over
  }

  let origin: Origin
  private let target: TransportTarget
  private unowned(unsafe) let environment: any LaneEnvironment
  private let connection: CurlConnection
  private let session: HTTP2Session
  private var state: State
  private var events: [LaneEvent] = []
  /// The session's, empty between two calls.
  private var idleEvents: [HTTP2Event] = []

  private var id: Int64 = 0
  private var stoodAt = MonotonicTime.zero
  /// When bytes last arrived.
  private var heardAt = MonotonicTime.zero
  /// Requests that have a stream; the oldest times out first.
  private var streams = StreamTable<OutgoingRequest>()
  private var converter = RequestConverter()
  private var awaited = AwaitedAcknowledgments()
  private var health = ConnectionHealth()
  /// `nil` where the path is not probed.
  private var probe: PathProbe?
  /// The peer refuses stream after stream, sent GOAWAY or headers without end: nothing new goes onto the connection.
  private var isLeaving = false

  private var output = OutgoingBytes()
  /// The socket took no more; libcurl is given the same bytes when it is writable.
  private var isBlocked = false
  /// What the connection took last waits in the kernel.
  private var isHeld = false

  /// Opens the connection for a request.
  /// - Returns: `nil` when libcurl or libnghttp2 has no memory.
  init?(
    for request: OutgoingRequest, target: TransportTarget, index: Int, environment: any LaneEnvironment
  ) {
    guard
      let connection = CurlConnection(.bytes, target: target, index: index, environment: environment),
      let session = try? HTTP2Session(at: environment.now())
    else { return nil }
    self.target = target
    self.environment = environment
    self.connection = connection
    self.session = session
    origin = request.url.origin
    state = .opening(request)
    request.taken = environment.now()
    ccurl_easy_set_pointer(connection.easy, CURLOPT_URL, request.url.text)
    connection.start()
    continueOpening()
  }

  // MARK: What it takes

  var opening: ConnectionStage? {
    if case .opening = state { connection.stage } else { nil }
  }

  var isUsable: Bool {
    if case .open = state { !isLeaving } else { false }
  }

  var isOver: Bool {
    if case .over = state { true } else { false }
  }

  var inFlight: Int { streams.count }

  var freePlaces: Int {
    guard isUsable, !isBlocked else { return 0 }
    guard health.hasAnswered else { return streams.isEmpty ? min(1, session.freeStreams) : 0 }
    return max(0, min(session.freeStreams, target.maximumStreams - streams.count))
  }

  func canHold(_ request: OutgoingRequest) -> Bool { health.hasAnswered && freePlaces > 0 }

  func accept(_ request: OutgoingRequest) {
    let now = environment.now()
    request.taken = max(request.taken, now)
    put(request, isFresh: false, at: now)
  }

  private func put(_ request: OutgoingRequest, isFresh: Bool, at now: MonotonicTime) {
    request.firstByte = session.bytesWritten
    do {
      let stream = try session.submit(
        converter.fields(of: request.request, to: request.url), body: request.request.body)
      streams.insert(request, at: stream)
      request.use = ConnectionUse(
        id: id, age: (now.microseconds - stoodAt.microseconds) / 1000, isFresh: isFresh,
        streamsInFlight: streams.count,
        phases: isFresh ? connection.phases : nil)
    } catch {
      recordSent(request, at: now, isKernel: false)
      switch error {
      case .noStream:
        isLeaving = true
        events.append(
          .failed(
            request,
            RequestFailure(
              reason: .refusedStream, detail: "the connection takes no more requests", isUnprocessed: true)))
      case .invalidField(let name):
        events.append(
          .failed(
            request, RequestFailure(reason: .protocol, detail: "\(name.debugDescription) cannot be sent")))
      }
    }
  }

  var nextProbe: MonotonicTime? { isUsable && !isBlocked ? probe?.nextDue : nil }

  func probePath(at now: MonotonicTime) {
    guard nextProbe != nil, let token = probe?.beginPing(at: now) else { return }
    session.ping(token)
  }

  func cancelOpening() -> OutgoingRequest? {
    guard case .opening(let request) = state else { return nil }
    state = .over
    connection.close()
    return request
  }

  func exchangeEvents(with taken: inout [LaneEvent]) { swap(&taken, &events) }

  // MARK: Opening

  private func continueOpening() {
    guard case .opening(let request) = state, let code = connection.nextResult() else { return }
    let now = environment.now()
    guard code == CURLE_OK, connection.stands, let ssl = connection.ssl else {
      let stage = connection.stands ? ConnectionStage.handshaking : connection.stage
      let failure = RequestFailure(
        code == CURLE_OK ? CURLE_SSL_CONNECT_ERROR : code, stage: stage,
        message: connection.alert?.words ?? connection.message, socket: connection.socketState)
      state = .over
      connection.close()
      events.append(.failedToConnect(request, failure))
      return
    }
    guard connection.selectedProtocol == "h2" else {
      state = .over
      let isByALPN = !connection.selectedProtocol.isEmpty
      connection.close()
      events.append(.negotiatedHTTP1(request, isByALPN: isByALPN))
      return
    }
    // A peer that has closed already leaves libcurl with an error about the socket's addresses.
    connection.clearMessage()
    state = .open(TLSChannel(easy: connection.easy, fd: connection.fd, ssl: ssl))
    id = environment.nextConnectionID()
    probe = target.pathProbe.map { PathProbe(every: $0, seed: target.seed &+ UInt64(bitPattern: id)) }
    stoodAt = now
    heardAt = now
    connection.watch(clinux_epoll_in)
    events.append(.connected(id))
    put(request, isFresh: true, at: now)
    flush()
  }

  // MARK: Sending

  /// Frames, encryption and the copy into the kernel take longer than letting a segment go that waits there, so they are done
  /// ahead of the instant. What does not fit into one segment the kernel would send at once: it is left to ``flush()``.
  func hold() {
    guard case .open(let channel) = state, !isBlocked, !isHeld else { return }
    makeFrames()
    guard !output.isEmpty, output.count <= connection.segmentSize - TLSChannel.overhead else { return }
    channel.hold()
    isHeld = true
    send()
  }

  func flush() {
    guard case .open(let channel) = state else { return }
    if isHeld {
      isHeld = false
      let (window, departure) = channel.release(offset: environment.offset, now: environment.now)
      recordSent(at: departure ?? window.began, isKernel: departure != nil)
    }
    makeFrames()
    send()
    if session.failure != nil, case .open = state { fail() }
  }

  private func makeFrames() {
    output.append { session.write(into: &$0) }
    drainSession(arrived: nil)
  }

  /// Gives the connection what it takes.
  private func send() {
    while case .open(let channel) = state, !isBlocked, !output.isEmpty {
      let sent = output.withBytes {
        channel.send(
          $0, asksForAcknowledgment: output.hasUnsentRequests, offset: environment.offset,
          now: environment.now)
      }
      switch sent {
      case .taken(let count, let window, let departure):
        output.consume(count)
        if channel.isAcknowledgmentAwaited {
          awaited.add(output.sentRequests.compactMap { streams[$0] }, through: channel.lastByte)
        }
        if !isHeld { recordSent(at: departure ?? window.began, isKernel: departure != nil) }
      case .full:
        isBlocked = true
        connection.watch(clinux_epoll_in | clinux_epoll_out)
      case .failed:
        // What the peer said before it went away, such as a GOAWAY, may still be there to be read.
        lose(reading: true)
      }
    }
  }

  private func recordSent(at instant: MonotonicTime, isKernel: Bool) {
    probe?.recordSent(through: output.taken, at: instant)
    while let stream = output.removeSentRequest() {
      if let request = streams[stream] { recordSent(request, at: instant, isKernel: isKernel) }
    }
  }

  private func recordSent(_ request: OutgoingRequest, at instant: MonotonicTime, isKernel: Bool) {
    guard request.sent == nil else { return }
    request.sent = max(instant, request.notification.planned)
    events.append(.sent(request, at: max(instant, request.notification.planned), isKernel: isKernel))
  }

  // MARK: Receiving

  func owns(_ fd: Int32) -> Bool { connection.owns(fd) }

  func socketReady(_ event: Poller.Readiness, fd: Int32) {
    switch state {
    case .opening:
      connection.act(
        on: fd, readable: event.isReadable, writable: event.isWritable, error: event.isError)
      continueOpening()
    case .open(let channel):
      // An error that is one comes with the end of the stream, or again.
      let isError = event.isError && !channel.dropSentStamps()
      if event.isWritable, isBlocked {
        isBlocked = false
        connection.watch(clinux_epoll_in)
        flush()
      }
      if event.isReadable || isError { read() }
    case .over: break
    }
  }

  /// How often one turn takes what has arrived off the socket. A peer without end must not keep the thread from its other work;
  /// epoll tells again of what is left.
  private static let fetchesPerTurn = 16

  private func read(fetches: Int = fetchesPerTurn) {
    for _ in 0..<fetches {
      guard case .open(let channel) = state else { return }
      switch channel.input.fetch() {
      case .bytes(let isAll):
        heardAt = environment.now()
        readRecords(of: channel.input)
        // Peers close a connection with their last answer: then the next request is not to go onto it.
        if isAll, !streams.isEmpty, fetches == Self.fetchesPerTurn { return }
      case .nothing: return
      case .end: return lose(reading: false)
      }
    }
  }

  private func readRecords(of input: TLSInput) {
    while case .open = state {
      switch input.next(offset: environment.offset) {
      case .content(let count, let stamp):
        session.receive(input.content(count), at: heardAt)
        drainSession(arrived: stamp)
        if session.failure != nil { return flush() }
      case .none: return
      case .end: return lose(reading: false)
      }
    }
  }

  /// - Parameter arrived: the kernel's stamp of the record that the session was given last.
  private func drainSession(arrived: MonotonicTime?) {
    var told = idleEvents
    idleEvents = []
    session.exchangeEvents(with: &told)
    for event in told {
      switch event {
      case .requestWritten(let stream, let offset): output.recordEnd(of: stream, before: offset)
      case .responded(let stream, _): recordResponse(on: stream, arrived: arrived)
      case .ended(let stream, let how): end(stream, how)
      case .settings(let settings): events.append(.streamLimit(settings.maximumConcurrentStreams))
      case .goaway(let goaway): handle(goaway)
      case .pingWritten(let token, let offset): probe?.recordWritten(token, offset: offset)
      case .pong(let token): recordPong(token, arrived: arrived)
      }
    }
    told.removeAll(keepingCapacity: true)
    idleEvents = told
    guard isLeaving, streams.isEmpty, case .open = state else { return }
    finish(session.goaway == nil ? "0 unanswered" : "after GOAWAY")
  }

  private func recordResponse(on stream: Int32, arrived: MonotonicTime?) {
    guard let request = streams[stream] else { return }
    recordAcknowledgments()
    // A peer may answer before it has the whole request.
    if request.sent == nil {
      recordSent(request, at: arrived.map { min($0, heardAt) } ?? environment.now(), isKernel: false)
    }
    if let arrived, let sent = request.sent, arrived >= sent, arrived <= heardAt {
      request.answered = (arrived, .kernel)
    } else {
      request.answered = (environment.now(), .callback)
    }
  }

  private func recordAcknowledgments() {
    guard !awaited.isEmpty, case .open(let channel) = state else { return }
    for acknowledgment in channel.drainAcknowledgments(offset: environment.offset) {
      awaited.record(byte: acknowledgment.byte, at: acknowledgment.at)
    }
  }

  private func recordPong(_ token: UInt64, arrived: MonotonicTime?) {
    guard let answer = probe?.recordAnswer(token, arrived: arrived, now: environment.now()) else { return }
    events.append(.pinged(connection: id, roundTrip: answer.roundTrip, at: answer.at))
  }

  private func end(_ id: Int32, _ how: HTTP2StreamEnd) {
    guard let request = streams.remove(id) else { return }
    if request.sent == nil { recordSent(request, at: environment.now(), isKernel: false) }
    if case .completed(let response) = how, let answer = request.answered {
      // Before that the peer is busy with setting the connection up and with our first request.
      if !health.hasAnswered { probe?.recordReady(at: environment.now()) }
      health.recordAnswer()
      events.append(
        .answered(
          request,
          LaneAnswer(
            status: response.status, headerLines: response.headerLines, body: response.body, version: .http2,
            at: answer.time, source: answer.source, path: probe?.roundTrip(at: answer.time),
            peerAck: request.peerAck)))
      return
    }
    guard let failure = RequestFailure(how, sawGoaway: session.goaway != nil) else { return }
    events.append(.failed(request, failure))
    if failure.reason == .refusedStream, case .reset = how {
      if let fault = health.recordRefusal() { leave(for: fault) }
    } else if failure.isUnprocessed || how.isHeaderExcess {
      // The rest of a header block that is too large is still to come, and libnghttp2 takes it for a connection error.
      isLeaving = true
    }
  }

  private func leave(for fault: ConnectionFault) {
    isLeaving = true
    events.append(.faulty(fault))
  }

  private func handle(_ goaway: HTTP2Goaway) {
    isLeaving = true
    events.append(.goaway(connection: id, detail: goaway.words(unanswered: streams.count)))
    if let fault = health.record(goaway) { leave(for: fault) }
    if goaway.code == .enhanceYourCalm, let probe, probe.count > 0 {
      events.append(.refusedPings(connection: id))
    }
  }

  // MARK: The clock

  func step(at now: MonotonicTime) {
    switch state {
    case .opening:
      guard let timer = connection.timer, timer <= now else { return }
      connection.runTimers()
      continueOpening()
    case .open:
      endOverdue(at: now)
      flush()
    case .over: break
    }
  }

  var deadline: MonotonicTime? {
    switch state {
    case .opening: connection.timer
    case .open: streams.oldest.map { $0.value.taken + target.timeout }
    case .over: nil
    }
  }

  private func endOverdue(at now: MonotonicTime) {
    while let (stream, request) = streams.oldest, now >= request.taken + target.timeout {
      // Nothing at all came for the whole timeout: TCP would go on hoping for a quarter of an hour.
      if let sent = request.sent, heardAt < sent { return endAll(.givenUp, "given up after silence") }
      streams.remove(stream)
      recordSent(request, at: now, isKernel: false)
      events.append(.failed(request, .timeout(after: target.timeout)))
      session.cancel(stream)
      drainSession(arrived: nil)
    }
  }

  func settleInterests() { connection.settleInterests() }

  // MARK: The end

  /// The connection can be used no longer.
  private func lose(reading: Bool) {
    let message = connection.message
    // After a failure nothing that still comes is of use, and each part of it would try to send once more.
    if reading, session.failure == nil { read(fetches: 1024) }
    guard case .open = state else { return }
    // That the peer takes our GOAWAY no more is not why.
    if session.failure != nil { return fail() }
    let failure = RequestFailure(
      lossOf: connection.socketState, message: message, alert: connection.alert,
      sawGoaway: session.goaway != nil)
    endAll(failure, session.goaway == nil ? nil : "after GOAWAY")
  }

  /// The session cannot go on: the peer broke the protocol or ``HTTP2Limits``.
  private func fail() {
    let detail = session.failure?.detail ?? ""
    endAll(
      RequestFailure(
        reason: .protocol, detail: "an answer on the connection broke the protocol: \(detail)",
        isLossOfConnection: true), nil)
  }

  private func endAll(_ failure: RequestFailure, _ detail: String?) {
    let now = environment.now()
    let count = streams.count
    for (_, request) in streams.values {
      recordSent(request, at: now, isKernel: false)
      var failure = failure
      // The connection took nothing of it.
      failure.isUnprocessed = request.firstByte >= output.taken
      events.append(.failed(request, failure))
    }
    streams.removeAll()
    finish(detail ?? "\(count) unanswered", by: failure)
  }

  private func finish(_ detail: String, by failure: RequestFailure? = nil) {
    if let fault = health.recordEnd(after: session.goaway, by: failure) { events.append(.faulty(fault)) }
    disconnect(detail)
  }

  private func disconnect(_ detail: String) {
    state = .over
    connection.close()
    events.append(.disconnected(connection: id, detail: detail))
  }

  func close() {
    switch state {
    case .opening: state = .over
    case .open: disconnect(session.goaway == nil ? "\(streams.count) unanswered" : "after GOAWAY")
    case .over: break
    }
    connection.close()
  }
}
