import Foundation
import Measurement
import Store
import StoreTestKit
import Synchronization
import TestKit
import Testing

@testable import Collector
@testable import Monitoring
@testable import Transport

/// Passes what a recorder tells to the metrics, as the collector does.
private final class MetricsObserver: CollectionObserver {
  let metrics = CollectorMetrics()

  func opened(_ store: CollectorStore) { metrics.update { $0.add(store.interruptedAtStart) } }
  func began(_ run: ObservedRun) { metrics.update { $0.begin(run) } }
  func committed(_ commit: ObservedCommit) { metrics.update { $0.add(commit) } }
  func interrupted(_ rows: [InterruptedRows]) { metrics.update { $0.add(rows) } }

  /// Verdicts, moved by corrections.
  var settled: [NotificationState: Int] {
    var counts: [NotificationState: Int] = [:]
    for series in metrics.snapshot().series.values {
      for (verdict, count) in series.verdicts { counts[verdict.state, default: 0] += Int(count) }
      for (correction, count) in series.corrections {
        counts[correction.to, default: 0] += Int(count)
        counts[correction.from, default: 0] -= Int(count)
      }
    }
    return counts.filter { $0.value != 0 }
  }

  var planned: Int { metrics.snapshot().series.values.reduce(0) { $0 + Int($1.planned) } }

  var corrections: [SeriesMetrics.Correction: UInt64] {
    metrics.snapshot().series.values.reduce(into: [:]) { sum, series in
      sum.merge(series.corrections, uniquingKeysWith: +)
    }
  }
}

/// A collector on a stepped clock: store, recorder and metrics, and what a reader of the store saw settle since the start.
private final class CountedCollector {
  let clock: SteppedHostClock
  let store: CollectorStore
  let observer = MetricsObserver()
  private let path: String
  private let run: RunID
  private let inbox: RecorderInbox
  private let recorder: Recorder
  private(set) var targets: [TargetID: String] = [:]
  /// µs, of the targets that expect receipts.
  private var deadlines: [String: Int64]
  /// Rows that had settled before this collector began, and those that had come due.
  private let before: Set<SampleID>
  private let dueBefore: Set<SampleID>
  /// The last state of each row that settled since, also of those that are gone.
  private var witnessed: [SampleID: NotificationState] = [:]
  /// Rows that came due since, also those that are gone.
  private var due: Set<SampleID> = []
  private var next: [TargetID: Int64] = [:]
  /// Sent, and not answered yet.
  private(set) var unanswered: [SampleID] = []
  private var planned: [SampleID] = []

  init(_ path: String, clock: SteppedHostClock, seed: UInt64) throws {
    self.path = path
    self.clock = clock
    deadlines = ["a": 1_000_000, "c": 5_000_000]
    let states = try Self.states(of: path)
    before = Set(states.filter(\.value.isSettled).keys)
    dueBefore = Set(states.filter { $0.value != .planned }.keys)
    store = try CollectorStore.open(at: path, clock: clock, options: .init(bootID: StoreFixture.bootID))
    observer.opened(store)
    var generator = SeededGenerator(seed: seed)
    let run = RunID(at: clock.wallNow(), using: &generator)
    self.run = run
    let deadlines = deadlines
    let descriptions = ["a", "b", "c"].map { Self.description($0, deadline: deadlines[$0]) }
    let registration = try store.beginRun(
      RunDescription(
        id: run, startedAt: clock.wallNow(), startedMonotonic: clock.monotonicNow(),
        bootID: StoreFixture.bootID, targets: descriptions))
    inbox = try RecorderInbox()
    recorder = Recorder(
      run: run, bootID: StoreFixture.bootID,
      targets: registration.targets.map { LedgerTarget(id: $0.id, receiptDeadline: deadlines[$0.name]) },
      store: store, inbox: inbox, clock: clock, onCommitted: { _ in }, observer: observer)
    for target in registration.targets { targets[target.id] = target.name }
    begin()
  }

  private static func description(_ name: String, deadline: Int64?) -> TargetDescription {
    TargetDescription(name: name, provider: "http", receiptDeadline: deadline, askedRate: 1)
  }

  private func begin() {
    observer.began(
      ObservedRun(
        id: run,
        targets: targets.map { id, name in
          ObservedRun.Target(
            registration: RegisteredTarget(id: id, name: name, variants: []), variants: [], askedRate: 1,
            receiptDeadline: deadlines[name])
        }))
  }

  static func states(of path: String) throws -> [SampleID: NotificationState] {
    guard let reader = try? StoreReader.open(at: path) else { return [:] }
    defer { reader.close() }
    var states: [SampleID: NotificationState] = [:]
    try reader.forEachSample(.everything) { states[$0.id] = $0.state }
    return states
  }

  /// Records what was posted, and looks at the store as a reader does.
  func settle() throws {
    for _ in 0..<100 {
      if case .wait = try recorder.round() { break }
    }
    try witness()
  }

  private func witness() throws {
    for (id, state) in try Self.states(of: path) {
      if state.isSettled, !before.contains(id) { witnessed[id] = state }
      if state != .planned, !dueBefore.contains(id) { due.insert(id) }
    }
  }

  var dueCount: Int { due.count }

  var settled: [NotificationState: Int] {
    witnessed.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  // MARK: What happens

  func plan(_ count: Int, of target: TargetID) {
    let now = clock.monotonicNow()
    let first = next[target] ?? 1
    next[target] = first + Int64(count)
    inbox.post([
      .planned(
        PlannedBlock(
          target: target, firstSequence: first, planned: (0..<count).map { now + .milliseconds(10 + $0) }))
    ])
    planned += (first..<first + Int64(count)).map { SampleID(target: target, sequence: $0) }
  }

  /// Takes the latest plans of a target back, as a reload does.
  func withdraw(_ count: Int, of target: TargetID) {
    let own = planned.filter { $0.target == target }.suffix(count).map(\.sequence)
    guard let first = own.first, let last = own.last else { return }
    next[target] = first
    planned.removeAll { $0.target == target && $0.sequence >= first }
    inbox.post([.withdrawn(target, sequences: first...last)])
  }

  /// Sends or gives up everything that is planned.
  func sendAll(_ random: inout SeededGenerator) {
    let now = clock.monotonicNow()
    for id in planned {
      if random.next() % 8 == 0 {
        inbox.post([.missed(id, reason: .lag, at: now)])
      } else {
        inbox.post([.sent(SentRequest(id: id, at: now, payloadBytes: 10))])
        unanswered.append(id)
      }
    }
    planned = []
  }

  func answerSome(_ random: inout SeededGenerator) {
    let now = clock.monotonicNow()
    unanswered.removeAll { id in
      switch random.next() % 10 {
      case 0:
        inbox.post([.failed(id, reason: .timeout, attempt: 1, detail: "", at: now)])
      case 1:
        inbox.post([
          .answered(
            AnsweredRequest(
              id: id, at: now, source: .kernel, status: 410, isAccepted: false, reason: "Unregistered"))
        ])
      case 2...7:
        inbox.post([
          .answered(AnsweredRequest(id: id, at: now, source: .kernel, status: 200, isAccepted: true))
        ])
      default: return false
      }
      return true
    }
  }

  /// Receipts for notifications of any run, from any time, deleted ones among them.
  func receive(_ ids: [NotificationID], _ random: inout SeededGenerator) {
    let now = clock.monotonicNow()
    inbox.receive(
      ids.map { id in
        ArrivedReceipt(
          id: id, device: "d\(random.next() % 2)", arrivedAt: now, receivedAt: clock.wallNow(),
          bootID: StoreFixture.bootID, receivedMonotonic: now)
      }
    ) { _ in }
  }

  func name(_ id: SampleID) -> NotificationID { NotificationID(run: run, sample: id) }

  /// One target gets another deadline, and another one begins: what a reload passes on.
  func reload(adding name: String) throws {
    let changed = targets.values.sorted()[0]
    deadlines[changed] = 700_000
    let registration = try store.changeTargets(
      of: run, changed: [Self.description(changed, deadline: 700_000)],
      added: [Self.description(name, deadline: nil)], at: clock.wallNow())
    inbox.post(
      registration.targets.map { LedgerTarget(id: $0.id, receiptDeadline: deadlines[$0.name]) })
    for target in registration.targets { targets[target.id] = target.name }
    begin()
  }

  /// Deletes whole hours that are settled and rolled up.
  /// - Returns: how many notifications.
  func prune() throws -> Int {
    while try store.rollUp() {}
    try store.markPruned(samplesBefore: clock.wallNow().advanced(byMicroseconds: -3_600_000_000))
    var deleted = 0
    while true {
      let step = try store.prune(.keepAll, within: .milliseconds(5))
      deleted += step.samples
      guard step.isMore else { return deleted }
    }
  }

  /// Ends the run in order.
  func end() throws {
    let ended = clock.monotonicNow()
    inbox.close(by: ended + .seconds(1))
    clock.advance(by: .seconds(2))
    for _ in 0..<100 {
      if try recorder.round() == .closed { break }
    }
    observer.interrupted(
      try store.endRun(run, at: clock.wallNow(), reason: .stopped, sendingEnded: ended))
    try witness()
  }
}

/// docs/operations.md: verdicts moved by corrections are the rows that settled since the start, to the last one, and what is
/// counted as planned are the rows that came due.
@Suite struct SettledIdentityTests {
  /// Three collectors one after the other on the same store: the first two are killed in the middle, the last one ends.
  @Test(arguments: 1...(TestLength.isLong ? 8 : 2) as ClosedRange<UInt64>)
  func holdsThroughEverything(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let directory = try TemporaryDirectory("identity")
    let clock = SteppedHostClock()
    var path = directory.storePath
    /// Every notification that any of them sent.
    var known: [NotificationID] = []
    var pruned = 0
    var corrected: Set<SeriesMetrics.Correction> = []
    for life in 0..<3 {
      let collector = try CountedCollector(path, clock: clock, seed: seed * 10 + UInt64(life))
      for step in 0..<60 {
        for target in collector.targets.keys.sorted() {
          collector.plan(1 + Int(random.next() % 6), of: target)
        }
        if step % 3 == 1 { try collector.settle() }
        if step % 8 == 7 { collector.withdraw(2, of: collector.targets.keys.sorted()[0]) }
        try collector.settle()
        clock.advance(by: .milliseconds(Int64(20 + random.next() % 300)))
        collector.sendAll(&random)
        known += collector.unanswered.suffix(12).map(collector.name)
        try collector.settle()
        clock.advance(by: .milliseconds(Int64(random.next() % 900)))
        collector.answerSome(&random)
        // Of those just now, and of any that ever were.
        var heard: [NotificationID] = []
        for _ in 0..<6 {
          heard.append(known[known.count - 1 - Int(random.next() % UInt64(min(known.count, 20)))])
          heard.append(known[Int(random.next() % UInt64(known.count))])
        }
        collector.receive(heard, &random)
        try collector.settle()
        // Planned and committed, and never sent: the next collector finds them.
        if step == 59, life < 2 {
          collector.plan(4, of: collector.targets.keys.sorted()[0])
          try collector.settle()
        }
        if step % 10 == 9 { clock.advance(by: .seconds(900)) }
        if step % 20 == 13 { try collector.reload(adding: "n\(step)") }
        if step % 15 == 14 { pruned += try collector.prune() }
        #expect(collector.observer.settled == collector.settled, "life \(life), step \(step)")
        #expect(collector.observer.planned == collector.dueCount, "life \(life), step \(step)")
      }
      corrected.formUnion(collector.observer.corrections.keys)
      if life == 2 {
        collector.plan(3, of: collector.targets.keys.sorted()[1])
        try collector.end()
        #expect(collector.observer.settled == collector.settled, "at the end")
        #expect(collector.observer.planned == collector.dueCount, "at the end")
      } else {
        // What is on disk when the process is killed.
        let copy = directory.file("life-\(life).sqlite")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
          try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        path = copy
      }
      collector.store.close()
    }
    #expect(pruned > 500)
    #expect(corrected.contains { $0.from == .lost && $0.to == .late })
    #expect(corrected.contains { $0.from == .interrupted })
    #expect(corrected.contains { $0.from == .rejected || $0.from == .failed })
  }
}
