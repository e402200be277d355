import Foundation
import Measurement
import Store
import TestKit

/// A collector's store in a temporary directory, with a run of two targets: `alpha` and `beta`.
public struct StoreFixture: Sendable {
  public let directory: TemporaryDirectory
  public let clock: SteppedHostClock
  public let store: CollectorStore
  public let run: RunID
  public let registration: RunRegistration
  public let alpha: TargetID
  public let beta: TargetID

  public static let bootID = "b9a5d7f0-0000-4000-8000-000000000001"

  /// - Parameter directory: another fixture's, to open its store again with the next run.
  public init(
    directory: TemporaryDirectory? = nil, clock: SteppedHostClock = SteppedHostClock(),
    durability: Durability = .normal
  ) throws {
    self.directory = try directory ?? TemporaryDirectory("store")
    self.clock = clock
    store = try CollectorStore.open(
      at: self.directory.storePath, clock: clock, options: .init(bootID: Self.bootID, durability: durability))
    var generator = SeededGenerator(seed: UInt64(clock.wallNow().microseconds))
    run = RunID(at: clock.wallNow(), using: &generator)
    registration = try store.beginRun(Self.description(of: run, clock))
    alpha = try Self.target("alpha", of: registration)
    beta = try Self.target("beta", of: registration)
  }

  private static func target(_ name: String, of registration: RunRegistration) throws -> TargetID {
    guard let target = registration[name] else { throw NeverHappened(what: "target \(name) is registered") }
    return target.id
  }

  /// Lists the targets in another order than that of their names.
  public static func description(of run: RunID, _ clock: SteppedHostClock) -> RunDescription {
    RunDescription(
      id: run, name: "a test", startedAt: clock.wallNow(), startedMonotonic: clock.monotonicNow(),
      bootID: bootID,
      targets: [
        TargetDescription(
          name: "beta", provider: "http", receiptDeadline: nil, askedRate: 2.5,
          variants: ["priority=10", "priority=5"], endpoint: "https://push.example.com:8443"),
        TargetDescription(
          name: "alpha", provider: "loopback", receiptDeadline: 30_000_000, askedRate: 100,
          device: "phone"),
      ])
  }

  /// Plans `count` notifications from now on, `interval` µs apart.
  public func plans(
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

  public func commit(
    inserted: [Sample] = [], updated: [Sample] = [], receipts: [Receipt] = [], events: [Event] = [],
    log: [LogLine] = [], anchors: [ClockAnchor] = [], pings: [PingAnswer] = []
  ) throws {
    _ = try store.commit(
      WriteBatch(
        run: run, inserted: inserted, updated: updated, receipts: receipts, events: events, log: log,
        anchors: anchors, pings: pings))
  }

  public func reader() throws -> StoreReader { try StoreReader.open(at: directory.storePath) }

  /// Opens another store, or the same one again, as the next collector of this boot would.
  public func reopened(_ path: String? = nil, bootID: String = bootID) throws -> CollectorStore {
    try CollectorStore.open(at: path ?? directory.storePath, clock: clock, options: .init(bootID: bootID))
  }
}

extension TemporaryDirectory {
  /// Where ``StoreFixture`` has its store.
  public var storePath: String { file("test.sqlite") }

  /// Copies the store as the disk has it now, WAL included: what remains if the process is killed now.
  /// - Returns: the copy's path.
  public func killedCopy() throws -> String {
    let copy = file("killed-\(UUID().uuidString).sqlite")
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: storePath + suffix) {
      try FileManager.default.copyItem(atPath: storePath + suffix, toPath: copy + suffix)
    }
    return copy
  }
}

extension Sample {
  /// In flight.
  public var asSent: Sample {
    var sample = self
    sample.state = .inFlight
    sample.scheduleLag = 57
    sample.payloadBytes = 211
    sample.attempt = 1
    return sample
  }

  /// Delivered, with a value in every field.
  public func asDelivered(_ latency: Int64 = 41_000) -> Sample {
    var sample = asSent
    sample.state = .delivered
    sample.status = 200
    sample.serviceTime = 1_200
    sample.acceptLatency = 1_257
    sample.deliveryLatency = latency
    sample.deliveryError = 12
    sample.peerAck = 310
    sample.path = 420
    sample.timestampSource = .kernel
    sample.duplicates = 2
    sample.isOutOfOrder = true
    sample.connection = ConnectionUse(
      id: 3, age: 88, isFresh: true, streamsInFlight: 4,
      phases: ConnectionPhases(dns: 10, connect: 20, tls: 30))
    sample.httpVersion = .http2
    return sample
  }

  public func asMissed(_ reason: MissedReason) -> Sample {
    var sample = self
    sample.state = .missed
    sample.reason = reason.rawValue
    return sample
  }

  public func asRejected(_ reason: String) -> Sample {
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

extension SamplePoint {
  public init(_ sample: Sample) {
    self.init(
      plannedAt: sample.plannedAt, plannedMonotonic: sample.plannedMonotonic, scheduleLag: sample.scheduleLag,
      acceptLatency: sample.acceptLatency, deliveryLatency: sample.deliveryLatency, state: sample.state,
      deliveryError: sample.deliveryError, deliveryHigh: sample.deliveryHigh, path: sample.path,
      status: sample.status,
      isFreshConnection: sample.connection?.isFresh ?? false, isOutOfOrder: sample.isOutOfOrder)
  }
}
