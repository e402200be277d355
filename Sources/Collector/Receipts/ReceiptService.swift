import FoundationEssentials
import HTTPServer
import Measurement
import NIOCore
import NIOHPACK
import Providers

/// What the listener does with a request. Lives on the listener's event loop.
final class ReceiptService {
  /// The calls that devices make, by path; all of them POST.
  private enum Call: String {
    case receipts = "/v1/receipts"
    case clock = "/v1/clock"
  }

  private let authenticator: ReceiptAuthenticator
  private let sink: any ReceiptSink
  private let eventLoop: any EventLoop
  private let gate: EventLoopHandle
  private let options: ReceiptListenerOptions
  private let clock: any HostClock
  private let timescale: Timescale
  private var limiter: SourceLimiter
  /// When to post again what the store could not take: trouble of this kind does not pass by itself in a moment.
  private static let pauseAfterFailure = Duration.seconds(60)

  /// Batches that the sink has not replied to.
  private var pending = 0

  init(
    authenticator: ReceiptAuthenticator, sink: any ReceiptSink, options: ReceiptListenerOptions,
    clock: any HostClock, eventLoop: any EventLoop, gate: EventLoopHandle
  ) {
    self.authenticator = authenticator
    self.sink = sink
    self.options = options
    self.clock = clock
    timescale = Timescale(anchor: ClockAnchor(reading: clock), after: options.showsTimesAfter)
    self.eventLoop = eventLoop
    self.gate = gate
    limiter = SourceLimiter(limit: options.sourceLimit)
  }

  func respond(to exchange: HTTPExchange) {
    let request = exchange.request
    let path = request.path.prefix { $0 != "?" }
    guard let call = Call(rawValue: String(path)) else {
      return exchange.answer(ReceiptAnswer.error(404, "no such call"))
    }
    guard request.method == "POST" else {
      return exchange.answer(ReceiptAnswer.error(405, "use POST", headers: ["allow": "POST"]))
    }
    let source = exchange.connection.source
    if let pause = limiter.pause(source, at: request.arrivedAt) {
      sink.refused(ReceiptRefusal(.rateLimited, source: source))
      return exchange.answer(ReceiptAnswer.wait(429, "too many bad requests", for: pause))
    }
    switch call {
    case .receipts: receive(exchange, from: source)
    case .clock: tellTime(exchange, from: source)
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

  /// Needs no proof: it tells nobody anything but the time. It costs its source a little, since it could be asked
  /// without end.
  private func tellTime(_ exchange: HTTPExchange, from source: String) {
    let request = exchange.request
    do throws(ReceiptBatch.Malformed) {
      let question = try ClockQuestion.parse(json: request.body.withUnsafeReadableBytes { Data($0) })
      limiter.charge(source, 1, at: request.arrivedAt)
      let t2 = timescale.nanoseconds(at: request.arrivedAt)
      let t3 = timescale.nanoseconds(at: clock.monotonicNow())
      exchange.answer(ReceiptAnswer.time(t1: question.t1, t2: t2, t3: t3))
    } catch {
      turnAway(exchange, error, from: source)
    }
  }

  private func turnAway(_ exchange: HTTPExchange, _ error: ReceiptBatch.Malformed, from source: String) {
    limiter.charge(source, options.sourceLimit.badCost, at: exchange.request.arrivedAt)
    sink.refused(ReceiptRefusal(.malformed, source: source))
    exchange.answer(ReceiptAnswer.error(400, error.message))
  }

  // MARK: Receipts

  /// A batch in which every MAC is wrong is answered 401; in a mixed one the wrong ones are only counted as
  /// `refused`, since the rest has to be taken and a device that is told 401 would send it all again.
  private func receive(_ exchange: HTTPExchange, from source: String) {
    let request = exchange.request
    guard pending < options.maximumPending else {
      return exchange.answer(ReceiptAnswer.wait(503, "too much at once", for: .seconds(1)))
    }
    let batch: ReceiptBatch
    do throws(ReceiptBatch.Malformed) {
      batch = try ReceiptBatch(json: request.body.withUnsafeReadableBytes { Data($0) })
    } catch {
      return turnAway(exchange, error, from: source)
    }
    let receipts = batch.entries.compactMap { proved($0, at: request.arrivedAt) }
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
    let gate = gate
    sink.receive(receipts, exchanges: exchanges) { outcome in
      gate.execute { bound.value.finish(exchange, outcome, forged: forged, from: source) }
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

  private func proved(_ entry: ReceiptBatch.Entry, at arrival: MonotonicTime) -> ArrivedReceipt? {
    guard let id = NotificationID(entry.id), authenticator.verify(entry.mac, for: id) else { return nil }
    return ArrivedReceipt(
      id: id, device: entry.device, arrivedAt: arrival, receivedAt: entry.receivedAt, bootID: entry.bootID,
      receivedMonotonic: entry.monotonic)
  }

  /// The exchanges that may be believed: of devices that proved a receipt in the same batch, with stamps that this
  /// listener has given out. The others, as from before a restart, are left alone: there will be new ones.
  private func exchanges(
    of batch: ReceiptBatch, with receipts: [ArrivedReceipt], at arrival: MonotonicTime
  ) -> [DeviceExchange] {
    guard !batch.exchanges.isEmpty else { return [] }
    // Where an exchange does not name the boot, its device's receipts do, if they agree.
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
