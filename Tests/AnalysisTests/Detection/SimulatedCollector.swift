import Analysis
import Findings
import Foundation
import Measurement
import Store
import StoreTestKit
import TestKit

/// A collector's store that fills as time passes, and the search for changes in it, all on a stepped clock.
final class SimulatedCollector {
  /// One notification as it will have been.
  struct Outcome {
    /// Seconds after the start.
    var plannedAt: Double
    var target: String
    var isLost = false
    /// Whether it waits for its receipt until ``settleOpen()``.
    var isOpen = false
    /// µs: planned to sent, sent to accepted, accepted to received.
    var lag: Int64 = 100
    var service: Int64
    var transit: Int64
  }

  let clock = SteppedHostClock()
  let directory: TemporaryDirectory
  let start: WallTime
  private(set) var store: CollectorStore
  private(set) var run: RunID
  private var registration: RunRegistration
  private var engine: FindingEngine
  private var settings: DetectionSettings
  private var outcomes: [Outcome]
  private var next = 0
  private var sequences: [String: Int64] = [:]
  /// What was written of each notification that is lost.
  private(set) var lost: [Sample] = []
  private var open: [Sample] = []
  private(set) var lines: [String] = []
  private(set) var firstSeen: [String: WallTime] = [:]
  private let names: [String]
  private let rate: Double
  private static let bootID = "b9a5d7f0-0000-4000-8000-000000000001"

  /// Notifications settle at once, so that seconds are complete a second later.
  ///
  /// - Parameters:
  ///   - providers: their kinds by target, if not loopback.
  ///   - ports: those of their services by target, if not 1.
  init(
    _ outcomes: [Outcome], rate: Double, settings: DetectionSettings,
    providers: [String: String] = [:], ports: [String: Int] = [:]
  ) throws {
    directory = try TemporaryDirectory("detection")
    self.outcomes = outcomes.sorted { ($0.plannedAt, $0.target) < ($1.plannedAt, $1.target) }
    self.settings = settings
    self.rate = rate
    names = Set(outcomes.map(\.target)).sorted()
    start = clock.wallNow()
    engine = FindingEngine(settings: settings)
    store = try CollectorStore.open(
      at: directory.storePath, clock: clock, options: .init(bootID: Self.bootID))
    let description = Self.description(names, providers, rate: rate, port: 1, ports: ports, clock)
    run = description.id
    registration = try store.beginRun(description)
  }

  private static func description(
    _ names: [String], _ providers: [String: String], rate: Double, port: Int,
    ports: [String: Int] = [:], _ clock: SteppedHostClock
  ) -> RunDescription {
    var generator = SeededGenerator(seed: UInt64(port))
    return RunDescription(
      id: RunID(at: clock.wallNow(), using: &generator), startedAt: clock.wallNow(),
      startedMonotonic: clock.monotonicNow(), bootID: Self.bootID,
      targets: names.map {
        TargetDescription(
          name: $0, provider: providers[$0] ?? "loopback", receiptDeadline: 10_000_000, askedRate: rate,
          endpoint: "https://127.0.0.1:\(ports[$0] ?? port)")
      })
  }

  /// Begins another run of the same targets at another endpoint, after ``endRun()``.
  /// - Parameter outcomes: planned from now on, in seconds since the start of the first run.
  func beginRun(port: Int, _ outcomes: [Outcome]) throws {
    let description = Self.description(names, [:], rate: rate, port: port, clock)
    run = description.id
    registration = try store.beginRun(description)
    sequences = [:]
    self.outcomes += outcomes
  }

  /// Sets the wall clock, and goes on with what is planned from then on. The recorder notes the step.
  func set(_ step: Duration, then outcomes: [Outcome]) throws {
    clock.stepWall(by: step)
    _ = try store.commit(WriteBatch(run: run, anchors: [ClockAnchor(reading: clock)]))
    self.outcomes += outcomes
  }

  private func second(_ time: Double) -> WallTime { start.advanced(byMicroseconds: Int64(time * 1e6)) }

  /// Seconds since the start.
  func seconds(_ time: WallTime) -> Double { Double(time.microseconds - start.microseconds) / 1e6 }

  /// Lets time pass in steps; after each the search looks at what is complete.
  func go(to end: Double, step: Double = 2, isWatching: Bool = true) throws {
    var now = seconds(clock.wallNow())
    while now < end {
      let length = min(step, end - now)
      clock.advance(by: .milliseconds(Int64(length * 1000)))
      now = seconds(clock.wallNow())
      var inserted: [Sample] = []
      while next < outcomes.count, outcomes[next].plannedAt < now {
        inserted.append(sample(outcomes[next]))
        next += 1
      }
      _ = try store.commit(WriteBatch(run: run, inserted: inserted.sorted { $0.id < $1.id }))
      lost += inserted.filter { $0.state == .lost }
      open += inserted.filter { $0.state == .inFlight }
      if isWatching { try look() }
    }
  }

  private func sample(_ outcome: Outcome) -> Sample {
    let sequence = (sequences[outcome.target] ?? 0) + 1
    sequences[outcome.target] = sequence
    let target = registration[outcome.target]?.id ?? TargetID(rawValue: 0)
    var sample = Sample(
      id: SampleID(target: target, sequence: sequence), variant: .none,
      plannedAt: second(outcome.plannedAt), plannedMonotonic: Int64(outcome.plannedAt * 1e6))
    sample.state = outcome.isLost ? .lost : outcome.isOpen ? .inFlight : .delivered
    sample.status = 200
    sample.attempt = 1
    sample.scheduleLag = outcome.lag
    sample.serviceTime = outcome.service
    sample.acceptLatency = outcome.lag + outcome.service
    if sample.state == .delivered {
      sample.deliveryLatency = outcome.lag + outcome.service + outcome.transit
      sample.deliveryError = 0
    }
    sample.timestampSource = .kernel
    sample.connection = ConnectionUse(id: 1, age: 1_000, isFresh: false, streamsInFlight: 1)
    sample.httpVersion = .http2
    return sample
  }

  /// One round of the search, saved as a collector saves it.
  func look() throws {
    let reader = try StoreReader.open(at: directory.storePath)
    defer { reader.close() }
    repeat {
      let step = try engine.advance(reader, to: clock.wallNow())
      if step.mustReset { try store.resetDetectors() }
      try store.save(step.changes)
      lines += step.lines
      for record in step.changes.findings where firstSeen[record.id] == nil {
        firstSeen[record.id] = clock.wallNow()
      }
      if !step.isMore { break }
    } while true
  }

  /// The run refers to a calibration of its host from now on, with medians of so many µs.
  func refer(toFloor floor: Int64) throws {
    try store.record(
      Calibration(
        at: clock.wallNow(), host: "here", bootID: Self.bootID, rate: 10, length: 60_000_000, planned: 600,
        floors: [Calibration.Interval.accept, .delivery].map {
          Calibration.Floor(
            interval: $0, counted: 600, minimum: floor / 2, maximum: floor * 9,
            figures: [.init(quantile: .p50, estimate: .known(value: floor, low: floor, high: floor))])
        }))
    _ = try store.commit(WriteBatch(run: run, instrument: InstrumentFigures(host: "here")))
  }

  /// Receipts that come late: what was lost was delivered.
  func receive(_ samples: [Sample], delivery: Int64 = 45_000) throws {
    let updated = samples.map { sample in
      var sample = sample
      sample.state = .delivered
      sample.deliveryLatency = delivery
      sample.deliveryError = 0
      return sample
    }
    _ = try store.commit(WriteBatch(run: run, updated: updated.sorted { $0.id < $1.id }))
    lost.removeAll { one in samples.contains { $0.id == one.id } }
  }

  /// The receipts of what waits for them come.
  func settleOpen() throws {
    try receive(open)
    open = []
  }

  /// The collector's search begins anew from what is stored.
  /// - Parameter isKilled: without the checkpoints of an orderly end.
  func restart(isKilled: Bool = false) throws {
    if !isKilled { try store.save(engine.checkpoints()) }
    engine = FindingEngine(settings: settings)
  }

  /// The search goes on from what another version of the detector wrote, which judges by other settings from now on.
  func upgrade(to settings: DetectionSettings) throws {
    var changes = engine.checkpoints()
    for index in changes.detectors.indices {
      guard let state = changes.detectors[index].checkpoint?.state else { continue }
      let other = String(decoding: state, as: UTF8.self)
        .replacingOccurrences(of: "\"version\":\(SeriesDetector.version)", with: "\"version\":0")
      changes.detectors[index].checkpoint?.state = [UInt8](other.utf8)
    }
    try store.save(changes)
    self.settings = settings
    engine = FindingEngine(settings: settings)
  }

  /// Notes something about an instant.
  func annotate(_ text: String, at time: WallTime) throws {
    if let annotation = Annotation(text, at: time, run: run) { try store.annotate(annotation) }
  }

  func endRun() throws {
    try store.endRun(run, at: clock.wallNow(), reason: .completed)
  }

  func stored() throws -> [FindingRecord] {
    let reader = try StoreReader.open(at: directory.storePath)
    defer { reader.close() }
    return try reader.findings(.everything)
  }

  /// What a search over the whole store finds that knows of no earlier one.
  func recomputed() throws -> [FindingRecord] { try recomputedChanges().findings }

  /// The same with how far was looked.
  func recomputedChanges() throws -> FindingChanges {
    let reader = try StoreReader.open(at: directory.storePath)
    defer { reader.close() }
    return try FindingRecomputation.run(reader, to: clock.wallNow(), settings: settings, knowsStored: false)
      ?? FindingChanges()
  }

  func log() throws -> [LogLine] {
    let reader = try StoreReader.open(at: directory.storePath)
    defer { reader.close() }
    var lines: [LogLine] = []
    try reader.forEachLogLine(RowSelection()) { lines.append($0.line) }
    return lines
  }

  func events() throws -> [EventKind] {
    let reader = try StoreReader.open(at: directory.storePath)
    defer { reader.close() }
    var kinds: [EventKind] = []
    try reader.forEachEvent(RowSelection()) { kinds.append($0.event.kind) }
    return kinds
  }
}

extension SimulatedCollector {
  /// Notifications of targets at an even pace: about 40 ms to the device, of which 5 ms service.
  ///
  /// - Parameter change: applied to each, with its planned time in seconds.
  static func outcomes(
    _ targets: [String] = ["alpha"], rate: Double, seconds: Double, seed: UInt64,
    change: (inout Outcome) -> Void = { _ in }
  ) -> [Outcome] {
    var result: [Outcome] = []
    for (place, target) in targets.enumerated() {
      var random = SeededGenerator(seed: seed &+ UInt64(place))
      for index in 0..<Int(seconds * rate) {
        let noise = 0.8 + 0.4 * random.unit()
        var outcome = Outcome(
          plannedAt: (Double(index) + 0.3) / rate, target: target, service: Int64(5_000 * noise),
          transit: Int64(35_000 * (0.8 + 0.4 * random.unit())))
        change(&outcome)
        result.append(outcome)
      }
    }
    return result
  }
}
