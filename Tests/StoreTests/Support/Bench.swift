import GRDB
import Measurement
import Testing

@testable import Store

/// A collector's store with a run of two targets, and the means to put rows in it.
struct Bench: Sendable {
  let scratch: Scratch
  let clock: SteppedClock
  let store: CollectorStore
  let run: RunID
  let registration: RunRegistration
  let alpha: TargetID
  let beta: TargetID

  static let bootID = "b9a5d7f0-0000-4000-8000-000000000001"

  init(
    scratch: Scratch? = nil, clock: SteppedClock = SteppedClock(), durability: Durability = .normal
  ) throws {
    self.scratch = try scratch ?? Scratch()
    self.clock = clock
    store = try CollectorStore.open(
      at: self.scratch.store, clock: clock, options: .init(bootID: Self.bootID, durability: durability))
    var generator = SeededGenerator(seed: UInt64(clock.wallNow().microseconds))
    run = RunID(at: clock.wallNow(), using: &generator)
    registration = try store.beginRun(Self.description(of: run, clock))
    alpha = try #require(registration["alpha"]).id
    beta = try #require(registration["beta"]).id
  }

  /// Named out of order on purpose.
  static func description(of run: RunID, _ clock: SteppedClock) -> RunDescription {
    RunDescription(
      id: run, name: "a test", startedAt: clock.wallNow(), startedMonotonic: clock.monotonicNow(),
      bootID: bootID,
      targets: [
        TargetDescription(
          name: "beta", provider: "http", receiptDeadline: nil, askedRate: 2.5,
          variants: ["priority=10", "priority=5"]),
        TargetDescription(name: "alpha", provider: "loopback", receiptDeadline: 30_000_000, askedRate: 100),
      ])
  }

  /// Plans `count` notifications from now on, `interval` µs apart.
  func plans(
    _ target: TargetID, from first: Int64 = 1, count: Int, interval: Int64 = 10_000
  ) -> [Sample] {
    let monotonic = clock.monotonicNow().microseconds
    let wall = clock.wallNow()
    let variants = registration.targets.first { $0.id == target }?.variants ?? []
    return (0..<Int64(count)).map { index in
      Sample(
        id: SampleID(target: target, sequence: first + index),
        variant: variants.isEmpty ? .none : variants[Int(first + index) % variants.count],
        plannedAt: wall.advanced(byMicroseconds: index * interval),
        plannedMonotonic: monotonic + index * interval)
    }
  }

  func commit(
    inserted: [Sample] = [], updated: [Sample] = [], receipts: [Receipt] = [], events: [Event] = [],
    log: [LogLine] = [], anchors: [ClockAnchor] = []
  ) throws {
    _ = try store.commit(
      WriteBatch(
        run: run, inserted: inserted, updated: updated, receipts: receipts, events: events, log: log,
        anchors: anchors))
  }

  func reader() throws -> StoreReader { try StoreReader.open(at: scratch.store) }

  /// Opens another store, or the same one again, as the next collector of this boot would.
  func reopened(_ path: String? = nil, bootID: String = bootID) throws -> CollectorStore {
    try CollectorStore.open(at: path ?? scratch.store, clock: clock, options: .init(bootID: bootID))
  }
}

extension Sample {
  /// On its way.
  var asSent: Sample {
    var sample = self
    sample.state = .inFlight
    sample.scheduleLag = 57
    sample.payloadBytes = 211
    sample.attempt = 1
    return sample
  }

  /// Everything that can be known, known.
  func asDelivered(_ latency: Int64 = 41_000) -> Sample {
    var sample = asSent
    sample.state = .delivered
    sample.status = 200
    sample.serviceTime = 1_200
    sample.acceptLatency = 1_257
    sample.deliveryLatency = latency
    sample.deliveryError = 12
    sample.timestampSource = .kernel
    sample.duplicates = 2
    sample.isOutOfOrder = true
    sample.connection = ConnectionUse(
      id: 3, age: 88, isFresh: true, streamsInFlight: 4,
      phases: ConnectionPhases(dns: 10, connect: 20, tls: 30))
    sample.httpVersion = .http2
    return sample
  }

  func asMissed(_ reason: MissedReason) -> Sample {
    var sample = self
    sample.state = .missed
    sample.reason = reason.rawValue
    return sample
  }

  func asRejected(_ reason: String) -> Sample {
    var sample = asSent
    sample.state = .rejected
    sample.status = 400
    sample.reason = reason
    sample.serviceTime = 900
    sample.timestampSource = .callback
    sample.connection = ConnectionUse(id: 1, age: 5, isFresh: false, streamsInFlight: 1)
    sample.httpVersion = .http1
    return sample
  }
}
