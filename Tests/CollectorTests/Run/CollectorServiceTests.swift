import Configuration
import Foundation
import Glibc
import HTTPServer
import Logging
import Measurement
import Store
import Synchronization
import TestKit
import TestTraits
import Testing
import TransportTestKit

@testable import Collector

/// The whole collector in this process, sending to a port where nobody listens: what it sends fails, and the runs are
/// real ones all the same.
@Suite("Collector service", .ownThread, .timeLimit(.minutes(10)))
struct CollectorServiceTests {
  private let directory: TemporaryDirectory
  private let storePath: String
  private let configuration: PushscopeConfiguration

  init() throws {
    directory = try TemporaryDirectory("service")
    storePath = directory.file("store.sqlite")
    let file = directory.file("pushscope.yaml")
    try """
    targets:
      - name: nobody
        provider: http
        endpoint: https://127.0.0.1:1
        schedule: { arrivals: constant, rate: 20/s }
        timeout: 1s
    """.write(toFile: file, atomically: true, encoding: .utf8)
    configuration = try PushscopeConfiguration.load(path: file, environment: [:])
  }

  private func service(count: Int64? = nil) -> CollectorService {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    return CollectorService(
      configuration: configuration,
      options: CollectorOptions(storePath: storePath, runName: "one", count: count), logger: logger)
  }

  private func eventually<Found>(_ what: String, _ look: () throws -> Found?) async throws -> Found {
    try await TestKit.eventually(what) { () async throws -> Found? in try look() }
  }

  private func settled(_ client: ControlClient, _ command: ControlCommand) async throws -> ControlOutcome {
    let ticket = try client.submit(command)
    return try await eventually("\(command)") {
      let outcome = try client.outcome(of: ticket)
      return outcome == .waiting ? nil : outcome
    }
  }

  @Test("stops and starts as it is asked, and ends when it is told to")
  func wholeLife() async throws {
    let service = service()
    let ends = Mutex(0)
    let begun = AsyncStream<RunID>.makeStream()
    let life = Task {
      try await service.run(
        onStart: { begun.continuation.yield($0.run) }, onEnd: { _ in ends.withLock { $0 += 1 } })
      return ends.withLock { $0 }
    }
    var runs = begun.stream.makeAsyncIterator()
    let first = try #require(await runs.next())
    let client = ControlClient(storePath: storePath, clock: SystemClock())
    let reader = try StoreReader.open(at: storePath)
    _ = try await eventually("the run shows, and that commands are carried out") {
      let collector = try reader.collector()
      return collector.run == first && collector.servesControl ? true : nil
    }

    guard case .refused(let busy) = try await settled(client, .start(name: "two")) else {
      Issue.record("two runs at once")
      return
    }
    #expect(busy.contains("stop it first"))
    guard case .refused = try await settled(client, .delete(first)) else {
      Issue.record("deleted while it is recorded")
      return
    }
    #expect(try await settled(client, .rename(first, name: "uno")) == .done)
    #expect(try await settled(client, .stop) == .done)
    let closed = try #require(try reader.run(first))
    #expect(closed.endReason?.word == .stopped)
    #expect(closed.name == "uno")
    #expect(closed.counts.open == 0)
    _ = try await eventually("idle") { try reader.collector().run == nil ? true : nil }
    guard case .refused = try await settled(client, .stop) else {
      Issue.record("stopped what does not run")
      return
    }
    let idleBeat = try #require(try reader.collector().lastHeartbeat)
    _ = try await eventually("an idle heartbeat") {
      try #require(try reader.collector().lastHeartbeat) > idleBeat ? true : nil
    }

    #expect(try await settled(client, .start(name: "two")) == .done)
    let second = try #require(await runs.next())
    _ = try await eventually("the second run sends") {
      try (reader.run(second)?.counts.planned ?? 0) > 0 ? true : nil
    }
    #expect(try reader.run(second)?.name == "two")
    #expect(try await settled(client, .delete(first)) == .done)
    #expect(try reader.runs().map(\.id) == [second])

    service.stop()
    #expect(try await life.value == 2)
    #expect(try reader.run(second)?.endReason?.word == .stopped)
    #expect(try reader.collector().isRunning == false)
  }

  @Test("with a count it ends by itself and starts nothing")
  func counted() async throws {
    let service = service(count: 3)
    try await service.run()
    let reader = try StoreReader.open(at: storePath)
    let run = try #require(try reader.latestRun())
    #expect(run.endReason?.word == .completed)
    #expect(run.counts.planned == 3)
  }

  /// What is waited for before anything is sent.
  enum Wait: String, CaseIterable, CustomTestStringConvertible {
    case accessToken = "an access token"
    case subscription = "a subscription"

    var testDescription: String { rawValue }

    /// A target whose endpoint takes connections and never says a word.
    func target(port: Int) throws -> String {
      switch self {
      case .subscription:
        return
          "{ name: quiet, provider: ntfy, endpoint: 'http://127.0.0.1:\(port)', topic: t, subscribe: true }"
      case .accessToken:
        let url = "https://127.0.0.1:\(port)"
        let account = try TestAccount().file(tokenURI: url + "/token")
        return "{ name: quiet, provider: fcm, endpoint: '\(url)', device_token: '${TOKEN}',"
          + " credentials: { service_account_file: \(account) } }"
      }
    }
  }

  /// The page's listener stands from before the first run to the end of the service, and leaves nothing behind.
  @Test("a port that is taken ends the start, and the next start with the same store succeeds")
  func listens() async throws {
    let port = try FreePort.take()
    let file = directory.file("devices.yaml")
    try """
    devices: { subject: 'mailto:ops@example.com', listen: '127.0.0.1:\(port)' }
    targets: [{ name: web, provider: http, endpoint: 'https://127.0.0.1:1', timeout: 1s, schedule: { rate: 20/s } }]
    """.write(toFile: file, atomically: true, encoding: .utf8)
    let configuration = try PushscopeConfiguration.load(path: file, environment: [:])
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    func run() async throws {
      _ = try await CollectorService(
        configuration: configuration, options: CollectorOptions(storePath: storePath, count: 2),
        logger: logger
      ).run()
    }
    try await run()
    let taken = FreePort.makeSocket()
    try #require(FreePort.bind(taken, to: port) == port && listen(taken, 1) == 0)
    let error = await #expect(throws: HTTPServerError.self) { try await run() }
    #expect(error?.code == .bind)
    close(taken)
    // A program that another test is just starting has copies of this process's sockets until it executes.
    _ = try await TestKit.eventually("the port is free") { () async throws -> Bool? in
      do {
        try await run()
        return true
      } catch let error as HTTPServerError where error.code == .bind {
        return nil
      }
    }
    let reader = try StoreReader.open(at: storePath)
    defer { reader.close() }
    #expect(try reader.runs().map(\.endReason) == [Stored(.completed), Stored(.completed)])
  }

  private func waitingService(for wait: Wait, port: Int) throws -> CollectorService {
    let file = directory.file("waiting.yaml")
    try "targets:\n  - \(wait.target(port: port))\n".write(
      toFile: file, atomically: true, encoding: .utf8)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    return CollectorService(
      configuration: try PushscopeConfiguration.load(path: file, environment: ["TOKEN": "device"]),
      options: CollectorOptions(storePath: storePath), logger: logger)
  }

  /// Both have half a minute for it; who stops it does not wait for that.
  @Test(
    "told to end while it waits for the first token or subscription, it ends in order",
    arguments: Wait.allCases)
  func endsWaiting(for wait: Wait) async throws {
    let silent = try #require(LoopbackSocket.silent())
    defer { close(silent.fd) }
    let service = try waitingService(for: wait, port: silent.port)
    let life = Task { try await service.run() }
    _ = try await eventually("it says what it waits for") { () -> Bool? in
      guard let lines = try? StoreReader.open(at: storePath).changes(LogLine.self, after: 0, limit: 100).rows
      else {
        return nil
      }
      return lines.contains { $0.line.message.contains("sending begins once these are available: ") }
        ? true : nil
    }
    // Whoever asks the collector to stop has to be told that there is a run to stop.
    let reader = try StoreReader.open(at: storePath)
    #expect(try reader.collector().run == reader.latestRun()?.id)
    service.stop()
    let end = try await life.value
    #expect(end?.wasStopped == true)
    let run = try #require(try StoreReader.open(at: storePath).latestRun())
    #expect(run.endReason?.word == .stopped && run.counts.planned == 0)
  }

  @Test("a run that waits is stopped through the store", arguments: Wait.allCases)
  func stopsWaiting(for wait: Wait) async throws {
    let silent = try #require(LoopbackSocket.silent())
    defer { close(silent.fd) }
    let service = try waitingService(for: wait, port: silent.port)
    let life = Task { try await service.run() }
    let client = ControlClient(storePath: storePath, clock: SystemClock())
    _ = try await eventually("a run") { () -> Bool? in
      (try? StoreReader.open(at: storePath).latestRun()) == nil ? nil : true
    }
    #expect(try await settled(client, .stop) == .done)
    #expect(try StoreReader.open(at: storePath).latestRun()?.endReason?.word == .stopped)
    // The next one is stopped as well, and whoever started it is told.
    let start = try client.submit(.start(name: "two"))
    _ = try await eventually("the second run") {
      try StoreReader.open(at: storePath).runs().count == 2 ? true : nil
    }
    #expect(try await settled(client, .stop) == .done)
    let outcome = try await eventually("an answer") {
      let outcome = try client.outcome(of: start)
      return outcome == .waiting ? nil : outcome
    }
    guard case .refused(let reason) = outcome else {
      Issue.record("a run that never sent was started")
      return
    }
    #expect(reason.contains("stopped before"))
    service.stop()
    _ = try await life.value
  }

  @Test("told to end while idle, it ends")
  func endsIdle() async throws {
    let service = service()
    let begun = AsyncStream<RunID>.makeStream()
    let life = Task { try await service.run(onStart: { begun.continuation.yield($0.run) }) }
    var runs = begun.stream.makeAsyncIterator()
    _ = await runs.next()
    #expect(
      try await settled(ControlClient(storePath: storePath, clock: SystemClock()), .stop) == .done)
    service.stop()
    let last = try await life.value
    #expect(last?.wasStopped == true)
    #expect(try StoreReader.open(at: storePath).runs().map(\.endReason) == [Stored(.stopped)])
  }
}
