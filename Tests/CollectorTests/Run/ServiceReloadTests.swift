import Configuration
import Foundation
import Logging
import Measurement
import Store
import Synchronization
import TestKit
import Testing

@testable import Collector

/// The whole collector in this process, sending to a port where nobody listens.
@Suite("Reload of the collector's configuration", .timeLimit(.minutes(2)))
struct ServiceReloadTests {
  private let directory: TemporaryDirectory
  private var file: String { directory.file("pushscope.yaml") }
  private var storePath: String { directory.file("store.sqlite") }

  init() throws { directory = try TemporaryDirectory("reload") }

  private func write(_ targets: [(name: String, rate: String)], _ more: String = "") throws {
    let list = targets.map {
      "  - { name: \($0.name), provider: http, endpoint: 'https://127.0.0.1:1', timeout: 1s, schedule: { rate: \($0.rate) } }\n"
    }
    try directory.write("pushscope.yaml", "targets:\n\(list.joined())\(more)")
  }

  private func service() throws -> CollectorService {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let file = file
    return CollectorService(
      configuration: try PushscopeConfiguration.load(path: file, environment: [:]),
      options: CollectorOptions(storePath: storePath), logger: logger,
      load: { try PushscopeConfiguration.load(path: file, environment: [:]) })
  }

  @Test("a configuration is taken as a whole or not at all, while the run goes on")
  func allOrNothing() async throws {
    try write([("a", "20/s"), ("b", "20/s")])
    let service = try service()
    let told = Mutex<[Int]>([])
    service.onConfiguration { configuration in told.withLock { $0.append(configuration.targets.count) } }
    let begun = AsyncStream<RunID>.makeStream()
    let life = Task { try await service.run(onStart: { begun.continuation.yield($0.run) }) }
    var runs = begun.stream.makeAsyncIterator()
    let run = try #require(await runs.next())
    let reader = try StoreReader.open(at: storePath)
    #expect(service.wasLastReloadTaken)

    try write([("a", "20/s"), ("b", "often")])
    let refused = await service.reload()
    guard case .refused(let why) = refused else {
      Issue.record("an invalid configuration was taken")
      return
    }
    #expect(why.contains(":3:") && why.contains("schedule.rate"), "\(why)")
    #expect(!service.wasLastReloadTaken && service.configuration.targets.count == 2)

    try write(
      [("a", "20/s"), ("b", "5/s"), ("c", "20/s")],
      "retention: { samples: 30d }\ncollector: { durability: full }\n")
    guard case .taken(let words) = await service.reload() else {
      Issue.record("a valid configuration was refused")
      return
    }
    for word in ["targets changed: b", "targets new: c", "retention", "restart: collector.durability"] {
      #expect(words.contains(word), "\(words)")
    }
    #expect(service.wasLastReloadTaken && told.withLock { $0 } == [3])
    #expect(service.configuration.retention?.samples == .seconds(30 * 86_400))
    #expect(service.configuration.collector.durability == .normal)
    #expect(try reader.formerTargets(of: run).map(\.askedRate) == [20])
    try await TestKit.eventually("c sends") { () async throws -> Bool? in
      try reader.targets(of: run).first { $0.name == "c" }?.counts.planned ?? 0 > 5 ? true : nil
    }
    // Nothing changed, nothing happens.
    guard case .taken(let same) = await service.reload() else { return }
    #expect(!same.contains("targets"), "\(same)")

    service.stop()
    let end = try #require(try await life.value)
    #expect(end.run == run)
    #expect(try reader.runs().count == 1)
    for target in try reader.targets(of: run) {
      #expect(target.counts.open == 0, "\(target.name)")
      var last: Int64 = 0
      try reader.forEachSample(RowSelection(run: run, targets: [target.name])) { row in
        #expect(row.id.sequence == last + 1, "\(target.name)")
        last = row.id.sequence
      }
      #expect(Int(last) == target.counts.planned, "\(target.name)")
    }
    let kinds = try reader.events(of: run)
    #expect(kinds.contains(.configRefused) && kinds.contains(.configReloaded))
  }
}

extension StoreReader {
  fileprivate func events(of run: RunID) throws -> Set<EventKind> {
    var kinds: Set<EventKind> = []
    try forEachEvent(RowSelection(run: run)) { kinds.insert($0.event.kind) }
    return kinds
  }
}
