import Measurement
import Providers
import TestKit
import TestTraits
import Testing

@testable import Transport

/// A session and the bytes of both directions.
private struct Wire {
  let session: HTTP2Session
  private(set) var written: [UInt8] = []
  private(set) var events: [HTTP2Event] = []

  init(limits: HTTP2Limits = HTTP2Limits(), settings: [(id: UInt16, value: UInt32)] = []) throws {
    session = try HTTP2Session(limits: limits, at: .zero)
    receive(ServerFrames.settings(settings) + ServerFrames.settingsAcknowledgement)
    _ = takeEvents()
  }

  /// - Returns: the bytes that the session writes in response.
  @discardableResult
  mutating func receive(_ bytes: [UInt8], at now: MonotonicTime = .zero) -> [UInt8] {
    bytes.withUnsafeBytes { session.receive($0, at: now) }
    return write()
  }

  @discardableResult
  mutating func write() -> [UInt8] {
    var bytes: [UInt8] = []
    session.write(into: &bytes)
    written += bytes
    events += session.takeEvents()
    return bytes
  }

  mutating func takeEvents() -> [HTTP2Event] {
    events += session.takeEvents()
    defer { events = [] }
    return events
  }

  mutating func submit(_ count: Int = 1, body: String = "hello") throws -> [Int32] {
    let streams = try (0..<count).map { _ in
      try session.submit(HTTP2Request(authority: "push.example", path: "/3/device/a"), body: Array(body.utf8))
    }
    write()
    return streams
  }

  /// The reported ends, by stream.
  mutating func takeEnds() -> [Int32: HTTP2StreamEnd] {
    takeEvents().reduce(into: [:]) { ends, event in
      if case .ended(let stream, let how) = event { ends[stream] = how }
    }
  }
}

extension HTTP2Session {
  fileprivate func submit(_ request: HTTP2Request, body: [UInt8] = []) throws(SubmitError) -> Int32 {
    try submit(HTTP2RequestFields(request), body: body)
  }

  fileprivate func takeEvents() -> [HTTP2Event] {
    var events: [HTTP2Event] = []
    exchangeEvents(with: &events)
    return events
  }
}

private func completed(_ status: Int, lines: String = "", body: String = "") -> HTTP2StreamEnd {
  .completed(HTTP2Response(status: status, headerLines: Array(lines.utf8), body: Array(body.utf8)))
}

struct HTTP2SessionTests {
  @Test func requestBecomesOnePieceWithTheOffsetOfItsLastByte() throws {
    var wire = try Wire()
    let before = wire.written.count
    #expect(wire.written.starts(with: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))
    let streams = try wire.submit(2)
    #expect(streams == [1, 3])
    let events = wire.takeEvents()
    // Each is HEADERS and DATA, which ends with 9 bytes of frame header and 5 of body.
    guard case .requestWritten(1, let first) = events.first, case .requestWritten(3, let second) = events.last
    else {
      Issue.record("\(events)")
      return
    }
    #expect(events.count == 2 && before < first && first < second && second == wire.written.count)
    #expect(wire.written[..<first].suffix(5).elementsEqual("hello".utf8))
    #expect(wire.session.bytesWritten == wire.written.count)
  }

  @Test func requestWithoutABodyHasTheOffsetOfItsLastByte() throws {
    var wire = try Wire()
    for _ in 0..<2 { _ = try wire.session.submit(HTTP2Request(method: "GET", authority: "push.example")) }
    let before = wire.written.count
    wire.write()
    guard case .requestWritten(1, let first) = wire.events.first,
      case .requestWritten(3, let second) = wire.events.last
    else {
      Issue.record("\(wire.events)")
      return
    }
    // HEADERS with END_STREAM: a length of three bytes, then type and flags.
    let length = Int(wire.written[before + 2])
    #expect(wire.written[before + 3] == 1 && wire.written[before + 4] & 1 == 1)
    #expect(first == before + 9 + length && second == wire.written.count)
  }

  /// 40 kB of fields: CONTINUATION frames belong to the request.
  @Test func requestWithLongHeadersHasTheOffsetOfItsLastByte() throws {
    var wire = try Wire()
    let fields = (0..<80).map { HeaderField("x-\($0)", String(repeating: "y", count: 500)) }
    _ = try wire.session.submit(HTTP2Request(authority: "push.example", headers: fields))
    wire.write()
    #expect(wire.takeEvents() == [.requestWritten(stream: 1, offset: wire.written.count)])
  }

  @Test func responseIsToldAtItsHeadersAndAtItsEnd() throws {
    var wire = try Wire()
    _ = try wire.submit()
    _ = wire.takeEvents()
    wire.receive(ServerFrames.headers(1, status: 103, [("link", "x")]))
    #expect(wire.takeEvents() == [])
    wire.receive(
      ServerFrames.headers(1, status: 410, [("apns-id", "7"), ("content-type", "application/json")]))
    #expect(wire.takeEvents() == [.responded(stream: 1, status: 410)])
    wire.receive(ServerFrames.data(1, Array("{\"reason\":".utf8)))
    wire.receive(ServerFrames.data(1, Array("\"Unregistered\"}".utf8)))
    wire.receive(ServerFrames.headers(1, status: nil, [("trailer", "late")], endStream: true))
    #expect(
      wire.takeEvents() == [
        .ended(
          stream: 1,
          completed(
            410, lines: "apns-id: 7\r\ncontent-type: application/json\r\n",
            body: #"{"reason":"Unregistered"}"#))
      ])
  }

  @Test(arguments: [1, 2, 7, 64])
  func anyPiecesGiveTheSameEvents(size: Int) throws {
    let script =
      ServerFrames.headers(1, [("a", "b")]) + ServerFrames.data(1, [1, 2, 3], endStream: true)
      + ServerFrames.ping(9) + ServerFrames.headers(3, status: 503, endStream: true)
      + ServerFrames.goaway(last: 3)
    var whole = try Wire()
    _ = try whole.submit(2)
    whole.receive(script)
    var pieces = try Wire()
    _ = try pieces.submit(2)
    for start in stride(from: 0, to: script.count, by: size) {
      pieces.receive(Array(script[start..<min(start + size, script.count)]))
    }
    let events = whole.takeEvents()
    #expect(events.count == 7)
    #expect(pieces.takeEvents() == events)
  }

  @Test func peersLimitOnStreamsIsKeptAndFollowed() throws {
    var wire = try Wire(settings: [(3, 2)])
    #expect(wire.session.freeStreams == 2)
    _ = try wire.submit(2)
    #expect(throws: HTTP2Session.SubmitError.noStream) {
      try wire.session.submit(HTTP2Request(authority: "h"))
    }
    wire.receive(ServerFrames.headers(1, endStream: true))
    #expect(wire.session.freeStreams == 1)
    wire.receive(ServerFrames.settings([(3, 5)]))
    #expect(wire.session.freeStreams == 4)
    #expect(wire.session.peerSettings.maximumConcurrentStreams == 5)
  }

  @Test func whatAGoawayDoesNotNameWasNotProcessed() throws {
    var wire = try Wire()
    _ = try wire.submit(3)
    _ = wire.takeEvents()
    wire.receive(ServerFrames.goaway(last: 3, 0, debug: "{\"reason\":\"Shutdown\"}"))
    let told = HTTP2Goaway(lastStream: 3, code: .noError, debug: Array("{\"reason\":\"Shutdown\"}".utf8))
    #expect(wire.takeEvents() == [.goaway(told), .ended(stream: 5, .aboveGoaway)])
    #expect(HTTP2StreamEnd.aboveGoaway.isUnprocessed)
    #expect(wire.session.freeStreams == 0 && wire.session.failure == nil)
    // Streams up to the last one it names may still be answered.
    wire.receive(ServerFrames.headers(1, endStream: true) + ServerFrames.reset(3, 7))
    #expect(wire.takeEnds() == [1: completed(200), 3: .reset(.refusedStream)])
  }

  @Test func resetSaysItsCode() throws {
    var wire = try Wire()
    _ = try wire.submit(3)
    wire.receive(
      ServerFrames.reset(1, 8) + ServerFrames.headers(3) + ServerFrames.reset(3, 2)
        + ServerFrames.reset(5, 99))
    let ends = wire.takeEnds()
    #expect(ends == [1: .reset(.cancel), 3: .reset(.internalError), 5: .reset(HTTP2ErrorCode(rawValue: 99))])
    #expect(ends.values.allSatisfy { !$0.isUnprocessed })
    #expect(HTTP2ErrorCode(rawValue: 99).description == "error code 99")
    #expect(HTTP2ErrorCode.enhanceYourCalm.description == "ENHANCE_YOUR_CALM")
  }

  @Test func cancelIsToldOnceAndLateAnswersAreNot() throws {
    var wire = try Wire()
    _ = try wire.submit()
    wire.session.cancel(1)
    wire.session.cancel(1)
    #expect(wire.takeEnds() == [1: .cancelled])
    let out = wire.write()
    #expect(out.count == 13 && out[3] == 3)
    wire.receive(ServerFrames.headers(1, endStream: true))
    #expect(wire.takeEvents() == [] && wire.session.failure == nil)
  }

  @Test func cancelBeforeAnythingWasWrittenWritesNothing() throws {
    var wire = try Wire()
    let stream = try wire.session.submit(HTTP2Request(authority: "h"), body: [1])
    wire.session.cancel(stream)
    let out = wire.write()
    #expect(!out.contains(where: { $0 == 0x83 }))  // :method POST
    #expect(wire.takeEnds() == [stream: .cancelled] && wire.session.freeStreams > 0)
  }

  @Test func pingIsAnsweredEachWay() throws {
    var wire = try Wire()
    wire.session.ping(0x0102_0304_0506_0708)
    #expect(wire.write() == ServerFrames.ping(0x0102_0304_0506_0708))
    wire.receive(ServerFrames.ping(0x0102_0304_0506_0708, isAnswer: true))
    #expect(
      wire.takeEvents() == [
        .pingWritten(0x0102_0304_0506_0708, offset: wire.written.count), .pong(0x0102_0304_0506_0708),
      ])
    // The peer's PING is answered at once, and is no event.
    #expect(wire.receive(ServerFrames.ping(5)) == ServerFrames.ping(5, isAnswer: true))
    #expect(wire.takeEvents() == [])
  }

  @Test func pingAmongRequestsHasItsOwnOffset() throws {
    var wire = try Wire()
    let first = try wire.session.submit(HTTP2Request(authority: "h"), body: [1, 2, 3])
    wire.session.ping(77)
    wire.write()
    let events = wire.takeEvents()
    var ends: [Int] = []
    for event in events {
      switch event {
      case .pingWritten(77, let offset):
        #expect(wire.written[..<offset].suffix(17).elementsEqual(ServerFrames.ping(77)))
        ends.append(offset)
      case .requestWritten(first, let offset): ends.append(offset)
      default: Issue.record("\(event)")
      }
    }
    #expect(ends.count == 2 && ends.max() == wire.written.count)
  }

  @Test func closedWindowHoldsTheBodyUntilItOpens() throws {
    var wire = try Wire(settings: [(4, 0)])
    _ = try wire.submit(body: "held")
    #expect(wire.takeEvents() == [])
    #expect(!wire.written.suffix(4).elementsEqual("held".utf8))
    wire.receive(ServerFrames.windowUpdate(1, 3))
    #expect(wire.takeEvents() == [] && wire.written.suffix(3).elementsEqual("hel".utf8))
    wire.receive(ServerFrames.windowUpdate(1, 3))
    #expect(wire.takeEvents() == [.requestWritten(stream: 1, offset: wire.written.count)])
  }

  @Test func answerBeforeTheRequestIsOutNeedsNoMoreOfIt() throws {
    var wire = try Wire(settings: [(4, 0)])
    _ = try wire.submit()
    let out = wire.receive(ServerFrames.headers(1, status: 413, endStream: true))
    #expect(wire.takeEnds() == [1: completed(413)])
    #expect(out == ServerFrames.reset(1, 8))
    #expect(wire.session.freeStreams > 0)
  }

  @Test(arguments: [
    HeaderField("Upper", "x"), HeaderField("bad name", "x"), HeaderField("a", "b\r\nc: d"),
    HeaderField("connection", "close"),
    HeaderField("", "x"), HeaderField("host", "h"), HeaderField(":path", "/x"),
  ])
  func whatIsNoHeaderIsNotSent(field: HeaderField) throws {
    var wire = try Wire()
    #expect(throws: HTTP2Session.SubmitError.invalidField(name: field.name)) {
      try wire.session.submit(HTTP2Request(authority: "h", headers: [field]))
    }
    #expect(throws: HTTP2Session.SubmitError.invalidField(name: ":path")) {
      try wire.session.submit(HTTP2Request(authority: "h", path: "/a\r\nb"))
    }
    #expect(wire.write() == [] && wire.takeEvents() == [])
  }
}

/// Limits on what a peer sends.
struct HTTP2LimitTests {
  @Test func bodyOverTheLimitEndsItsStreamOnly() throws {
    var limits = HTTP2Limits()
    limits.bodyBytes = 100
    var wire = try Wire(limits: limits)
    _ = try wire.submit(2)
    let exact =
      ServerFrames.headers(1) + ServerFrames.data(1, [UInt8](repeating: 1, count: 100), endStream: true)
    wire.receive(exact + ServerFrames.headers(3) + ServerFrames.data(3, [UInt8](repeating: 1, count: 60)))
    let out = wire.receive(ServerFrames.data(3, [UInt8](repeating: 1, count: 41)))
    let ends = wire.takeEnds()
    #expect(ends[3] == .exceeded(.bodyBytes))
    guard case .completed(let response) = ends[1] else {
      Issue.record("\(ends)")
      return
    }
    #expect(response.body.count == 100)
    #expect(out.contains(3) && wire.session.failure == nil)
  }

  @Test func headersOverTheLimitsEndTheirStreamOnly() throws {
    var limits = HTTP2Limits()
    limits.headerFields = 10
    limits.headerBytes = 1000
    var wire = try Wire(limits: limits)
    _ = try wire.submit(4)
    let nine = (0..<9).map { ("h\($0)", "v") }
    wire.receive(ServerFrames.headers(1, nine, endStream: true))
    wire.receive(ServerFrames.headers(3, nine + [("h9", "v")], endStream: true))
    wire.receive(ServerFrames.headers(5, [("long", String(repeating: "x", count: 1000))], endStream: true))
    // Interim responses and trailers count too.
    for _ in 0..<11 { wire.receive(ServerFrames.headers(7, status: 100)) }
    let ends = wire.takeEnds()
    #expect(ends[3] == .exceeded(.headerFields) && ends[5] == .exceeded(.headerBytes))
    #expect(ends[7] == .exceeded(.headerFields))
    guard case .completed = ends[1] else {
      Issue.record("\(ends)")
      return
    }
    #expect(wire.session.failure == nil && ends.count == 4)
  }

  /// A peer that has not heard of the reset yet goes on for a while.
  @Test func headersWithoutEndCostNoOtherStream() throws {
    var wire = try Wire()
    _ = try wire.submit(2)
    for _ in 0..<20_000 { wire.receive(ServerFrames.headers(1, status: 103, [("link", "</a>")])) }
    wire.receive(ServerFrames.headers(3, endStream: true))
    #expect(wire.takeEnds() == [1: .exceeded(.headerFields), 3: completed(200)])
    #expect(wire.session.failure == nil)
  }

  @Test func whatGoesOnAfterItsResetEndsTheSession() throws {
    var wire = try Wire()
    _ = try wire.submit(2)
    wire.session.cancel(1)
    wire.write()
    let frame = ServerFrames.headers(1, (0..<30).map { ("x-\($0)", String(repeating: "y", count: 500)) })
    var bytes = 0
    while wire.session.failure == nil, bytes < 8 << 20 {
      wire.receive(frame)
      bytes += frame.count
    }
    #expect(wire.session.failure?.code == .exceeded(.overBytes))
    #expect((4 << 20) - frame.count...(4 << 20) + frame.count ~= bytes - frame.count)
    // A second later there is room again, for what comes late to requests that timed out.
    var later = try Wire()
    _ = try later.submit(1)
    later.session.cancel(1)
    later.write()
    for second in 0..<20 {
      let now = MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000)
      for _ in 0..<60 { later.receive(frame, at: now) }
    }
    #expect(later.session.failure == nil)
  }

  private static let floods: [(HTTP2Limits.Kind, [UInt8], Double)] = [
    (.settings, ServerFrames.settings(), 20), (.pings, ServerFrames.ping(), 100),
    (.resets, ServerFrames.reset(1, 8), 1000), (.windowUpdates, ServerFrames.windowUpdate(0, 1), 1000),
    (.others, ServerFrames.frame(2, stream: 1, [0, 0, 0, 0, 1]), 1000),
    (.others, ServerFrames.data(1), 1000),
  ]

  @Test(arguments: floods.indices)
  func floodOfFramesEndsTheSession(index: Int) throws {
    let (kind, frame, burst) = Self.floods[index]
    var wire = try Wire()
    _ = try wire.submit()
    if kind == .others { wire.receive(ServerFrames.headers(1)) }
    var count = 0
    var out: [UInt8] = []
    while wire.session.failure == nil, count < 5000 {
      out = wire.receive(frame)
      count += 1
    }
    #expect(wire.session.failure?.code == .exceeded(kind))
    #expect(wire.session.failure?.detail.contains(kind.rawValue) == true)
    // In addition to the allowance of one request.
    #expect((Int(burst) - 1...Int(burst) + 10).contains(count))
    // The last frame is GOAWAY with ENHANCE_YOUR_CALM.
    #expect(out.suffix(200).contains(11) && wire.session.freeStreams == 0)
    #expect(wire.receive(frame) == [])
  }

  @Test func framesAtAnHonestPaceNeverEndASession() throws {
    var wire = try Wire()
    for second in 0..<10_000 {
      let now = MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000)
      wire.receive(ServerFrames.ping(UInt64(second)) + ServerFrames.settings([(3, 100)]), at: now)
      if second % 10 == 0 {
        let streams = try wire.submit(10)
        for stream in streams {
          wire.receive(
            ServerFrames.windowUpdate(0, 5) + ServerFrames.windowUpdate(stream, 5)
              + ServerFrames.headers(stream, endStream: true), at: now)
        }
      }
    }
    #expect(wire.session.failure == nil)
  }

  @Test func updatesForEachRequestAreEarnedByThem() throws {
    var wire = try Wire(settings: [(3, 1000)])
    // All at the same time, so that no bucket is refilled.
    for _ in 0..<20_000 {
      let stream = try wire.submit()[0]
      wire.receive(
        ServerFrames.windowUpdate(0, 5) + ServerFrames.windowUpdate(stream, 5)
          + ServerFrames.headers(stream, endStream: true))
      _ = wire.takeEvents()
    }
    #expect(wire.session.failure == nil)
  }

  @Test func headerBlockWithoutEndEndsTheSession() throws {
    var wire = try Wire()
    _ = try wire.submit()
    wire.receive(ServerFrames.headers(1, endHeaders: false))
    for _ in 0..<8 { wire.receive(ServerFrames.continuation(1)) }
    #expect(wire.session.failure?.code == .exceeded(.continuations))
    var honest = try Wire()
    _ = try honest.submit()
    honest.receive(ServerFrames.headers(1, endStream: true, endHeaders: false))
    for _ in 0..<6 { honest.receive(ServerFrames.continuation(1, [("a", "b")])) }
    honest.receive(ServerFrames.continuation(1, [("a", "b")], endHeaders: true))
    guard case .completed(let response) = honest.takeEnds()[1] else {
      Issue.record("no response")
      return
    }
    #expect(response.headerLines.count == 7 * 6)
  }

  private static let violations: [[UInt8]] = [
    Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8),
    ServerFrames.data(1, [1]),  // before HEADERS
    ServerFrames.headers(2, endStream: true),  // a stream that the server may not open
    ServerFrames.frame(4, [1, 2, 3]),  // SETTINGS of a wrong size
    ServerFrames.windowUpdate(0, 0),
    ServerFrames.frame(1, flags: 4, stream: 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),  // invalid HPACK
    ServerFrames.frame(5, flags: 4, stream: 1, [0, 0, 0, 2, 0x82]),  // PUSH_PROMISE, disabled
    ServerFrames.continuation(1, [("a", "b")], endHeaders: true),
  ]

  @Test(arguments: violations.indices)
  func violationOfTheProtocolEndsTheSession(index: Int) throws {
    var wire = try Wire()
    _ = try wire.submit()
    _ = wire.takeEvents()
    wire.receive(Self.violations[index])
    #expect(wire.session.failure?.code == .protocolError)
    #expect(wire.session.failure?.detail.isEmpty == false)
    #expect(wire.takeEnds() == [:])
    #expect(wire.receive(ServerFrames.ping()) == [])
  }

  private static let malformed: [[UInt8]] = [
    ServerFrames.headers(1, status: nil, [("a", "b")], endStream: true),
    ServerFrames.headers(1, [("Upper", "case")], endStream: true),
    ServerFrames.headers(1, [("connection", "close")], endStream: true),
    ServerFrames.headers(1, status: 20, endStream: true),
    ServerFrames.headers(1, [("content-length", "5")]) + ServerFrames.data(1, [1], endStream: true),
    ServerFrames.headers(1, status: 103, endStream: true),
  ]

  @Test(arguments: malformed.indices)
  func malformedResponseEndsItsStreamOnly(index: Int) throws {
    var wire = try Wire()
    _ = try wire.submit(2)
    wire.receive(Self.malformed[index] + ServerFrames.headers(3, endStream: true))
    let ends = wire.takeEnds()
    if case .malformed(let text) = ends[1] { #expect(!text.isEmpty) } else { Issue.record("\(ends)") }
    #expect(ends[3] == completed(200) && wire.session.failure == nil)
  }

  @Test func debugDataIsCut() throws {
    var wire = try Wire()
    wire.receive(ServerFrames.goaway(last: 0, 11, debug: String(repeating: "x", count: 10_000)))
    #expect(wire.session.goaway?.debug.count == HTTP2Goaway.maximumDebugBytes)
    #expect(wire.session.goaway?.code == .enhanceYourCalm)
  }

  @Test func damagedBytesNeverHarm() throws {
    let good =
      ServerFrames.headers(1, [("a", "b")]) + ServerFrames.data(1, [1, 2, 3], endStream: true)
      + ServerFrames.ping(9)
      + ServerFrames.settings([(3, 7), (4, 70_000)]) + ServerFrames.windowUpdate(0, 9)
      + ServerFrames.headers(3, status: 503, endHeaders: false)
      + ServerFrames.continuation(3, endHeaders: true)
      + ServerFrames.reset(3, 2) + ServerFrames.goaway(last: 3, debug: "bye")
    var random = SeededGenerator(seed: 7)
    for _ in 0..<3000 {
      var bytes = good
      for _ in 0...random.next() % 6 {
        let place = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 3 {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.remove(at: place)
        default: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        }
      }
      var wire = try Wire()
      let streams = try wire.submit(3)
      wire.receive(bytes)
      // Each stream has ended once, or ends once when it is canceled.
      for stream in streams { wire.session.cancel(stream) }
      var ended: [Int32] = []
      for case .ended(let stream, _) in wire.takeEvents() { ended.append(stream) }
      #expect(ended.sorted() == streams)
    }
  }
}

/// The session with a peer that shares no code with libnghttp2 (python-h2).
@Suite(.ownThread, .enabled(if: Python.isUsable && Python.has("h2"), "python3 with h2 is missing"))
struct HTTP2SessionPeerTests {
  @Test func pythonsServerReadsWhatWeWriteAndWeReadWhatItAnswers() throws {
    let session = try HTTP2Session(at: .zero)
    for number in 0..<3 {
      _ = try session.submit(
        HTTP2Request(
          authority: "push.example:443", path: "/3/device/\(number)",
          headers: [HeaderField("apns-topic", "com.example.app"), HeaderField("authorization", "bearer t")]),
        body: [UInt8](repeating: 0x61, count: 20_000 * number))
    }
    var bytes: [UInt8] = []
    session.write(into: &bytes)
    let answer = try Python.run(
      """
      import sys, h2.connection, h2.config, h2.events
      server = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
      server.initiate_connection()
      bodies, paths = {}, {}
      for event in server.receive_data(open(sys.argv[1], 'rb').read()):
          if isinstance(event, h2.events.RequestReceived):
              headers = dict(event.headers)
              assert headers[b':method'] == b'POST' and headers[b'authorization'] == b'bearer t', headers
              paths[event.stream_id] = headers[b':path'].decode()
              bodies[event.stream_id] = 0
          elif isinstance(event, h2.events.DataReceived):
              bodies[event.stream_id] += len(event.data)
      for stream in reversed(sorted(paths)):
          server.send_headers(stream, [(':status', '200'), ('x-path', paths[stream])])
          server.send_data(stream, str(bodies[stream]).encode(), end_stream=True)
      server.close_connection(additional_data=b'done')
      print(server.data_to_send().hex())
      """, input: bytes)
    let digits = Array(answer.utf8.prefix { $0 != 0x0A })
    let reply = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
    reply.withUnsafeBytes { session.receive($0, at: .zero) }
    let events = session.takeEvents()
    var answers: [Int32: String] = [:]
    for case .ended(let stream, .completed(let response)) in events {
      answers[stream] = String(decoding: response.headerLines + response.body, as: UTF8.self)
    }
    #expect(
      answers == [
        1: "x-path: /3/device/0\r\n0", 3: "x-path: /3/device/1\r\n20000", 5: "x-path: /3/device/2\r\n40000",
      ])
    #expect(session.goaway?.debug == Array("done".utf8))
    #expect(session.failure == nil)
  }
}
