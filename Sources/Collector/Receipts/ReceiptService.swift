import FoundationEssentials
import HTTPServer
import Measurement
import NIOCore
import NIOHPACK
import Providers

/// Answers the listener's requests, on its event loop.
final class ReceiptService {
  /// The paths that devices POST to.
  private enum Call: String {
    case receipts = "/v1/receipts"
    case clock = "/v1/clock"
  }

  /// The newest first; the secret of an earlier one may be in notifications that are under way.
  private var authenticators: [ReceiptAuthenticator]
  private let sink: ReceiptSinkSwitch
  /// The page and the calls of devices that join; `nil` where none can.
  private let devices: DeviceService?
  private let eventLoop: any EventLoop
  private let loop: EventLoopHandle
  private let options: ReceiptListenerOptions
  private let clock: any HostClock
  private let timescale: Timescale
  private var limiter: SourceLimiter
  /// `Retry-After` for receipts that the store could not take: its errors rarely pass at once.
  private static let pauseAfterFailure = Duration.seconds(60)
  /// `Retry-After` while no run is recorded.
  private static let pauseBetweenRuns = Duration.seconds(10)

  /// Batches that the sink has not answered.
  private var pending = 0

  init(
    authenticator: ReceiptAuthenticator, sink: ReceiptSinkSwitch, devices: DeviceService?,
    options: ReceiptListenerOptions, clock: any HostClock, eventLoop: any EventLoop, loop: EventLoopHandle
  ) {
    authenticators = [authenticator]
    self.sink = sink
    self.devices = devices
    self.options = options
    self.clock = clock
    timescale = Timescale(anchor: ClockAnchor(reading: clock), after: options.showsTimesAfter)
    self.eventLoop = eventLoop
    self.loop = loop
    limiter = SourceLimiter(limit: options.sourceLimit)
  }

  /// Accepts receipts with the MAC of another secret too. The two before it stay valid.
  func add(_ authenticator: ReceiptAuthenticator) {
    authenticators.insert(authenticator, at: 0)
    if authenticators.count > 3 { authenticators.removeLast() }
  }

  /// - Parameter isPlain: whether the request came over the plain listener for browsers on this host.
  func respond(to exchange: HTTPExchange, isPlain: Bool) {
    let request = exchange.request
    let path = request.path.prefix { $0 != "?" }
    guard !isPlain || DeviceService.namesThisHost(request) else {
      return exchange.answer(DeviceService.wrongHost)
    }
    if let devices, DeviceService.handles(path) {
      return devices.respond(to: exchange, path, isPlain: isPlain)
    }
    guard let call = Call(rawValue: String(path)) else {
      return exchange.answer(ReceiptAnswer.error(404, "no such call"))
    }
    // A browser's question whether a page may post (Fetch, "CORS-preflight request"): free, as it costs no more than a refusal.
    if request.method == "OPTIONS" { return exchange.answer(ReceiptAnswer.permission) }
    guard request.method == "POST" else {
      return exchange.answer(ReceiptAnswer.error(405, "use POST", headers: ["allow": "POST, OPTIONS"]))
    }
    let source = exchange.connection.source
    let sender: DeviceSender?
    do throws(DeviceRegistry.Refusal) {
      sender = try call == .receipts ? devices?.sender(of: exchange) : nil
    } catch {
      return exchange.answer(DeviceService.answer(error))
    }
    // A device that is known is not kept out by others at its address.
    if sender == nil, let pause = limiter.pause(source, at: request.arrivedAt) {
      sink.refused(ReceiptRefusal(.rateLimited, source: source))
      return exchange.answer(ReceiptAnswer.wait(429, "too many bad requests", for: pause))
    }
    switch call {
    case .receipts: receive(exchange, of: sender, from: source)
    case .clock: answerTime(exchange, from: source)
    }
  }

  func answer(to violation: HTTPViolation) -> HTTPResponse {
    switch violation {
    case .bodyTooLarge:
      ReceiptAnswer.error(413, "the body is larger than \(options.limits.bodyBytes) bytes")
    case .requestTimedOut: ReceiptAnswer.error(408, "the request took too long")
    case .overloaded: ReceiptAnswer.wait(503, "too much at once", for: .seconds(1))
    }
  }

  // MARK: Clock

  /// Needs no MAC, because it returns nothing but the time. It counts against its source's limit.
  private func answerTime(_ exchange: HTTPExchange, from source: String) {
    let request = exchange.request
    do throws(ReceiptBatch.Malformed) {
      let question = try ClockQuestion.parse(json: request.body.withUnsafeReadableBytes { Data($0) })
      limiter.charge(source, 1, at: request.arrivedAt)
      let t2 = timescale.nanoseconds(at: request.arrivedAt)
      let t3 = timescale.nanoseconds(at: clock.monotonicNow())
      exchange.answer(ReceiptAnswer.time(t1: question.t1, t2: t2, t3: t3))
    } catch {
      reject(exchange, error, from: source)
    }
  }

  private func reject(_ exchange: HTTPExchange, _ error: ReceiptBatch.Malformed, from source: String) {
    limiter.charge(source, options.sourceLimit.badCost, at: exchange.request.arrivedAt)
    sink.refused(ReceiptRefusal(.malformed, source: source))
    exchange.answer(ReceiptAnswer.error(400, error.message))
  }

  // MARK: Receipts

  /// A batch in which every MAC is wrong is answered 401. In a mixed one the wrong ones are only counted as `refused`: after
  /// a 401 the device would post the valid ones again.
  /// - Parameter sender: the device whose key it has; `nil` without a key.
  private func receive(_ exchange: HTTPExchange, of sender: DeviceSender?, from source: String) {
    let request = exchange.request
    guard sink.isOpen else {
      return exchange.answer(ReceiptAnswer.wait(503, "no run is recorded", for: Self.pauseBetweenRuns))
    }
    guard pending < options.maximumPending else {
      return exchange.answer(ReceiptAnswer.wait(503, "too much at once", for: .seconds(1)))
    }
    var batch: ReceiptBatch
    do throws(ReceiptBatch.Malformed) {
      batch = try ReceiptBatch(json: request.body.withUnsafeReadableBytes { Data($0) })
    } catch {
      return reject(exchange, error, from: source)
    }
    var authenticators = authenticators
    if let sender {
      // A device speaks for itself alone, whatever name it gives.
      authenticators = authenticators.map { $0.device(keyHash: sender.keyHash) }
      batch.name(sender.name)
    }
    let receipts = batch.entries.compactMap { authenticated($0, by: authenticators, at: request.arrivedAt) }
    let forged = batch.entries.count - receipts.count
    if forged > 0 {
      limiter.charge(source, forged * options.sourceLimit.badCost, at: request.arrivedAt)
      sink.refused(ReceiptRefusal(.wrongMAC, count: forged, source: source))
    }
    guard !receipts.isEmpty else { return exchange.answer(ReceiptAnswer.error(401, "wrong mac")) }
    exchange.connection.setAuthenticated()
    let exchanges = exchanges(of: batch, with: receipts, at: request.arrivedAt)
    limiter.charge(source, batch.exchanges.count - receipts.count, at: request.arrivedAt)
    pending += 1
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    let loop = loop
    sink.receive(receipts, exchanges: exchanges) { outcome in
      loop.execute { bound.value.finish(exchange, outcome, forged: forged, from: source) }
    }
  }

  private func finish(_ exchange: HTTPExchange, _ outcome: ReceiptOutcome, forged: Int, from source: String) {
    pending -= 1
    let cost = outcome.unknown * options.sourceLimit.badCost + outcome.duplicate + outcome.repeated
    limiter.charge(source, cost, at: exchange.request.arrivedAt)
    if outcome.failed > 0, outcome.accepted + outcome.duplicate + outcome.unknown == 0 {
      return exchange.answer(ReceiptAnswer.wait(503, "the store cannot take it", for: Self.pauseAfterFailure))
    }
    var outcome = outcome
    outcome.refused += forged + outcome.failed
    exchange.answer(ReceiptAnswer.stored(outcome))
  }

  private func authenticated(
    _ entry: ReceiptBatch.Entry, by authenticators: [ReceiptAuthenticator], at arrival: MonotonicTime
  ) -> ArrivedReceipt? {
    guard let id = NotificationID(entry.id), authenticators.contains(where: { $0.verify(entry.mac, for: id) })
    else { return nil }
    return ArrivedReceipt(
      id: id, device: entry.device, arrivedAt: arrival, receivedAt: entry.receivedAt, bootID: entry.bootID,
      receivedMonotonic: entry.monotonic, stages: entry.stages, context: entry.context)
  }

  /// The valid exchanges: of devices with a valid receipt in the same batch, with stamps of this listener. Others, as from
  /// before a restart, are ignored; the device makes new ones.
  private func exchanges(
    of batch: ReceiptBatch, with receipts: [ArrivedReceipt], at arrival: MonotonicTime
  ) -> [DeviceExchange] {
    guard !batch.exchanges.isEmpty else { return [] }
    // An exchange without a boot has the boot of its device's receipts, if these agree.
    let boots = Dictionary(grouping: receipts, by: \.device).mapValues { Set($0.map(\.bootID)) }
    return batch.exchanges.compactMap { entry in
      guard let known = boots[entry.device], let t2 = timescale.instant(of: entry.t2, until: arrival),
        let t3 = timescale.instant(of: entry.t3, until: arrival),
        let exchange = ClockExchange(
          t1: entry.t1, t2: t2 + Timescale.rounding, t3: t3 - Timescale.rounding, t4: entry.t4)
      else { return nil }
      let boot = entry.bootID ?? (known.count == 1 ? known.first ?? nil : nil)
      return DeviceExchange(device: entry.device, bootID: boot, exchange: exchange)
    }
  }
}

/// The listener's answers. Pages of any origin may read them: requests are authenticated by their MAC alone, so there is no
/// session that a page could misuse.
enum ReceiptAnswer {
  private static func answer(_ status: Int, _ json: String, headers: HPACKHeaders = [:]) -> HTTPResponse {
    var headers = headers
    headers.add(name: "access-control-allow-origin", value: "*")
    headers.add(name: "access-control-expose-headers", value: "retry-after")
    return HTTPResponse(status: status, json: json, headers: headers)
  }

  /// 204 for OPTIONS: a page of any origin may post JSON. Browsers need not ask again for a day, or what they take at most.
  static let permission = HTTPResponse(
    status: 204,
    headers: [
      "allow": "POST, OPTIONS", "access-control-allow-origin": "*", "access-control-allow-methods": "POST",
      "access-control-allow-headers": "content-type", "access-control-max-age": "86400",
    ])

  /// 200: the time.
  static func time(t1: Int64, t2: Int64, t3: Int64) -> HTTPResponse {
    answer(200, "{\"t1\":\(t1),\"t2\":\(t2),\"t3\":\(t3)}", headers: ["cache-control": "no-store"])
  }

  /// 202: stored.
  static func stored(_ outcome: ReceiptOutcome) -> HTTPResponse {
    answer(
      202,
      "{\"accepted\":\(outcome.accepted),\"duplicate\":\(outcome.duplicate),"
        + "\"unknown\":\(outcome.unknown),\"refused\":\(outcome.refused)}")
  }

  /// `{"error": …}`.
  /// - Parameter message: must not need escaping.
  static func error(_ status: Int, _ message: String, headers: HPACKHeaders = HPACKHeaders()) -> HTTPResponse
  {
    answer(status, "{\"error\":\"\(message)\"}", headers: headers)
  }

  /// The answer with Retry-After in whole seconds, at least 1.
  static func wait(_ status: Int, _ message: String, for pause: Duration) -> HTTPResponse {
    let seconds = pause.components.seconds + (pause.components.attoseconds > 0 ? 1 : 0)
    return error(status, message, headers: ["retry-after": String(max(1, seconds))])
  }
}

/// The clock of `POST /v1/clock`: Unix time when the listener started, advanced by the monotonic clock. It is never set, so
/// the difference of two of its stamps is an interval.
struct Timescale: Sendable {
  let anchor: ClockAnchor

  /// Devices whose JSON numbers are binary64 return stamps rounded to a multiple of 256 ns.
  static let rounding = Duration.nanoseconds(256)

  /// - Parameter earlier: the latest stamp of an earlier scale; this one begins after it, unless it cannot be one.
  init(anchor: ClockAnchor, after earlier: WallTime? = nil) {
    let first =
      earlier.flatMap { $0 < Self.end ? $0 + Self.distance : nil } ?? anchor.wall
    self.anchor = ClockAnchor(monotonic: anchor.monotonic, wall: max(anchor.wall, first))
  }

  /// The year 2200. Later stamps come from a store with wrong times, and near 2262 nanoseconds do not fit their type.
  private static let end = WallTime(seconds: 7_258_118_400)

  /// The least distance between the last stamp of one scale and the first of the next: more than the time between two clock
  /// readings.
  private static let distance = Duration.milliseconds(1)

  /// Nanoseconds since 1970 at an instant.
  func nanoseconds(at instant: MonotonicTime) -> Int64 {
    anchor.wall.microseconds * 1000 + (instant - anchor.monotonic).nanoseconds
  }

  /// The instant of a stamp of this scale.
  /// - Returns: `nil` for a stamp that this scale has not shown until `now`.
  func instant(of stamp: Int64, until now: MonotonicTime) -> MonotonicTime? {
    let (passed, isTooFar) = stamp.subtractingReportingOverflow(anchor.wall.microseconds * 1000)
    guard !isTooFar, passed >= 0, passed <= (now - anchor.monotonic).nanoseconds else { return nil }
    return anchor.monotonic + .nanoseconds(passed)
  }
}
