import Foundation
import GRDB
import Measurement
import TestKit
import TestTraits
import Testing

@testable import Store

/// A collector records; what it did to its files is replayed, with a power failure at many points.
@Suite("Power loss", .ownThread, .enabled(if: WriteRecorder.isAvailable))
struct PowerLossTests {
  /// How many failures are tried for each durability, and how long the collector records.
  private static let (states, seconds) = TestLength.isLong ? (5_000, 12) : (150, 2)

  /// What others had seen of the store after some number of operations, so that it must be in it.
  private struct Observation {
    enum What: Hashable {
      /// The service got the notification, so that its block was committed.
      case sent(String)
      /// The receipt was answered 202.
      case received(String)
    }

    var operations: Int
    /// CLOCK_MONOTONIC.
    var microseconds: Int
    var what: What

    private struct Entry: Decodable {
      var entry: String
      var id: String?
      var ids: [String]?
    }

    /// - Parameter files: in which service and device write what they saw, a line each.
    static func all(in record: RecordedWrites, files: Set<String>) throws -> [Observation] {
      var inodes: Set<RecordedWrites.Inode> = []
      var all: [Observation] = []
      for (index, operation) in record.operations.enumerated() {
        switch operation.change {
        case .created(let inode, let name) where files.contains(name): inodes.insert(inode)
        case .written(let inode, _, let bytes) where inodes.contains(inode):
          for line in record[bytes].split(separator: UInt8(ascii: "\n")) {
            let entry = try JSONDecoder().decode(Entry.self, from: Data(line))
            let seen: [What] =
              switch entry.entry {
              case "request": entry.id.map { [.sent($0)] } ?? []
              case "posted": entry.ids?.map { .received($0) } ?? []
              default: []
              }
            all += seen.map { Observation(operations: index, microseconds: operation.microseconds, what: $0) }
          }
        default: break
        }
      }
      return all
    }
  }

  private struct Recording {
    var writes: RecordedWrites
    var observations: [Observation]
    /// Ids of rows by those that the service sees.
    var rows: [String: Int64]
    /// Where the write-ahead log was synced: numbers of operations.
    var syncs: [Int]
    /// How often by a descriptor of its own, so not by SQLite.
    var ownSyncs = 0

    /// - Parameter seconds: how long it records.
    init(_ durability: Durability, seconds: Int) throws {
      let installation = try Installation(rate: "300/s", target: ["receipt_deadline: 1s"])
      let text = try String(decoding: installation.directory.bytes("pushscope.yaml"), as: UTF8.self)
      try installation.directory.write(
        "pushscope.yaml",
        text.replacingOccurrences(of: "collector:\n", with: "collector:\n  durability: \(durability)\n"))
      let recorder = try WriteRecorder(of: installation.directory)
      let service = try PushService(
        installation,
        ["--heard", installation.directory.file("heard.jsonl"), "--delivery-delay", "lognormal:40:1"],
        environment: recorder.environment)
      let collector = try installation.collect(
        ["--duration", "\(seconds)s"], environment: recorder.environment)
      let code = try collector.waitForExit()
      try #require(code == 0, "\(collector.standardError)")
      try service.stop()
      writes = try recorder.recorded()
      observations = try Observation.all(in: writes, files: ["script.jsonl", "heard.jsonl"])
      rows = [:]
      for row in try installation.query(
        """
        SELECT v.notification_id, t.id << 40 | v.sequence FROM sample_view v JOIN target t ON t.name = v.target
        """)
      { rows[row[0]] = Int64(row[1]) }
      var log: RecordedWrites.Inode?
      syncs = []
      for (index, operation) in writes.operations.enumerated() {
        switch operation.change {
        case .created(let inode, let name) where name == "pushscope.sqlite-wal": log = inode
        case .synced(let inode, let byWriter) where inode == log:
          syncs.append(index)
          if !byWriter { ownSyncs += 1 }
        default: break
        }
      }
    }
  }

  /// What a failure cost: what others had seen, and the store has not.
  private struct Cost {
    var (sent, received) = (0, 0)
    /// From the first of it to the failure.
    var microseconds = 0
  }

  /// Opens what the disk has, as a collector does that starts after the failure.
  private static func open(_ store: String, _ durability: Durability) throws -> [Int64: NotificationState] {
    let store = try CollectorStore.open(
      at: store, clock: SystemClock(),
      options: CollectorStoreOptions(bootID: "the next boot", durability: durability))
    defer { store.close() }
    return try store.read { db in
      #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
      var states: [Int64: NotificationState] = [:]
      for row in try Row.fetchAll(db, sql: "SELECT id, state FROM sample") {
        states[row[0]] = NotificationState(rawValue: row[1])
      }
      return states
    }
  }

  @Test(
    "whenever the power fails, the store opens, and has all that was synced before", .timeLimit(.minutes(60)),
    arguments: [Durability.normal, .full])
  func everyPoint(_ durability: Durability) throws {
    let recording = try Recording(durability, seconds: Self.seconds)
    let (writes, observations) = (recording.writes, recording.observations)
    #expect(observations.count > 500, "\(observations.count) observations")
    if durability == .normal {
      #expect(
        recording.ownSyncs > Self.seconds / 3,
        "the log is synced about once a second, beside SQLite's own syncs")
    } else {
      #expect(recording.ownSyncs == 0 && recording.syncs.count > 5 * Self.seconds, "each commit is synced")
    }
    var generator = SeededGenerator(seed: 40)
    let points = (0..<Self.states).map { _ in Int.random(in: 0...writes.operations.count, using: &generator) }
      .sorted()
    var disk = PowerLossDisk(writes)
    var done = 0
    var (worst, lossy) = (Cost(), 0)
    for (index, point) in points.enumerated() {
      while done < point {
        disk.apply(writes.operations[done])
        done += 1
      }
      let directory = try TemporaryDirectory("power")
      try disk.fail(into: directory.path, store: "pushscope.sqlite", using: &generator)
      let states: [Int64: NotificationState]
      do {
        states = try Self.open(directory.file("pushscope.sqlite"), durability)
      } catch {
        Issue.record("state \(index), after \(point) operations: \(error)")
        continue
      }
      let synced = recording.syncs.last { $0 < point } ?? -1
      var cost = Cost()
      for observation in observations where observation.operations < point {
        let isKept: Bool
        switch observation.what {
        case .sent(let id):
          isKept = recording.rows[id].map { states[$0] != nil } ?? false
          if !isKept { cost.sent += 1 }
        case .received(let id):
          isKept = recording.rows[id].map { [.delivered, .late].contains(states[$0]) } ?? false
          if !isKept { cost.received += 1 }
        }
        guard !isKept else { continue }
        cost.microseconds = max(
          cost.microseconds, writes.operations[max(0, point - 1)].microseconds - observation.microseconds)
        if durability == .full || observation.operations < synced {
          Issue.record("state \(index), after \(point) operations, synced at \(synced): lost \(observation)")
          return
        }
      }
      if cost.sent + cost.received > 0 { lossy += 1 }
      worst.sent = max(worst.sent, cost.sent)
      worst.received = max(worst.received, cost.received)
      worst.microseconds = max(worst.microseconds, cost.microseconds)
    }
    if TestLength.isLong {
      print(
        "power loss, \(durability): \(points.count) states, \(writes.operations.count) operations, \(recording.syncs.count) syncs of",
        "the log; \(lossy) states lost something, at most \(worst.sent) sent and \(worst.received) received, \(worst.microseconds / 1_000) ms"
      )
    }
  }
}
