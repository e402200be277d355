import ConstraintAnimation
import Foundation
import Glibc
import Measurement
import Store
import StoreTestKit
import Synchronization
import Testing
import Threads

@testable import TUI

@Suite("Lines instead of a screen", .serialized)
struct PlainTests {
  /// A pipe, and what came out of it.
  private final class Pipe {
    let reading: Int32
    let writing: Int32

    init() {
      var ends: [Int32] = [-1, -1]
      pipe(&ends)
      (reading, writing) = (ends[0], ends[1])
    }

    deinit { close(reading) }

    /// Closes the writing end and reads everything.
    func finish() -> [String] {
      close(writing)
      return rest()
    }

    /// Everything until the other end is closed.
    func rest() -> [String] {
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while true {
        let count = read(reading, &buffer, buffer.count)
        if count <= 0 { break }
        bytes += buffer[..<count]
      }
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  private static func settings(_ fixture: RecordedStore, run: RunID? = nil, target: String? = nil) throws
    -> DashboardSettings
  {
    var options = Dashboard.Options(.store(fixture.path), environment: [:])
    options.clock = fixture.clock
    options.run = run
    options.target = target
    options.catchesSignals = false
    return try DashboardSettings(options, isTerminal: false, zone: .utc)
  }

  /// Continued lines begin with two spaces.
  private static func joined(_ lines: [String]) -> [String] {
    lines.reduce(into: []) { joined, line in
      if line.hasPrefix("  "), let last = joined.popLast() {
        joined.append(last + line.dropFirst())
      } else {
        joined.append(line)
      }
    }
  }

  @Test("one report is enough where one is asked for, and no line is wider than a page")
  func once() throws {
    let fixture = try RecordedStore()
    try fixture.begin(targets: ["a-target-with-a-rather-long-name", "another-target-with-a-long-name"])
    try fixture.commit(inserted: (1...400).map { fixture.delivered($0, at: $0 * 10) })
    var settings = try Self.settings(fixture)
    settings = try {
      var options = settings.options
      options.plainOnce = true
      return try DashboardSettings(options, isTerminal: false, zone: .utc)
    }()
    let pipe = Pipe()
    #expect(
      try PlainDashboard(settings: settings, stop: DashboardStop(), output: pipe.writing).run() == .quit)
    let lines = pipe.finish()
    #expect(lines.count > 1 && lines.allSatisfy { $0.count <= 100 })
    #expect(Self.joined(lines).count == 1 && Self.joined(lines)[0].contains("delivered 400"))
  }

  @Test("one line says it all, with every state and honest quantiles")
  func line() {
    let snapshot = SampleRun(seconds: 110).snapshot
    let figures = WindowFigures.taken(PlainLine.order(of: snapshot), of: snapshot)
    let line = PlainLine(snapshot: snapshot, figures: figures, zone: .utc).text
    #expect(line.hasPrefix("14:03:50 live loopback sent "))
    #expect(line.contains(" asked 4/s due "))
    for state in [
      "planned 4", "sent 4", "accepted 4", "delivered 4", "lost 6", "failed 3", "missed 0", "in_flight ",
      "accepted, no receipt expected 0",
    ] {
      #expect(line.contains(" \(state)"), "\(state)")
    }
    #expect(line.contains("last 60 s delivery n ") && line.contains("p99 n too small (needs 368)"))
    #expect(!line.contains("\n"))
  }

  @Test("an ended run is summed up once, in full, and that is all")
  func ended() throws {
    let fixture = try RecordedStore()
    try fixture.begin(targets: ["a", "b\u{1B}[2J"])
    var samples = (1...400).map { fixture.delivered($0, at: $0 * 10, after: 100_000 + $0 * 100) }
    samples[6].state = .lost
    samples[6].deliveryLatency = nil
    try fixture.commit(inserted: samples)
    try fixture.end()
    let pipe = Pipe()
    let plain = PlainDashboard(
      settings: try Self.settings(fixture), stop: DashboardStop(), output: pipe.writing)
    #expect(try plain.run() == .quit)
    let written = pipe.finish()
    #expect(written.allSatisfy { $0.count <= 100 })
    let lines = Self.joined(written)
    #expect(lines.count == 6)
    #expect(lines[0].hasPrefix("run ") && lines[0].hasSuffix("(completed)"))
    #expect(lines[1].contains("delivered 399") && lines[1].contains("lost 1") && lines[1].contains("due 400"))
    #expect(lines[2].hasPrefix("a delivery n 399 p50 120 ms (112 to 128 ms) p90 "))
    #expect(
      lines[3].hasPrefix("a accept n 400 p50 4.00 ms") && lines[4].hasPrefix("a service n 400 p50 3.96 ms"))
    #expect(lines[5].hasPrefix("b␛[2J due 0"))
  }

  @Test("while a run goes on there is a line each time, until somebody says stop")
  func live() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    try fixture.commit(inserted: [fixture.delivered(1)])
    let pipe = Pipe()
    let stop = DashboardStop()
    let settings = try Self.settings(fixture)
    let writing = pipe.writing
    let ending = Ending()
    // A thread of its own: it blocks, and the pool that tests run on is small.
    try DedicatedThread.start(name: "plain") {
      ending.outcome.withLock {
        $0 = try? PlainDashboard(settings: settings, stop: stop, output: writing, interval: .milliseconds(5))
          .run()
      }
      close(writing)
    }
    // The pipe itself says when a line is there.
    var ready = pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0)
    #expect(poll(&ready, 1, 30_000) == 1)
    stop.stop()
    let lines = pipe.rest()
    #expect(lines.first?.contains(" live loopback ") == true)
    #expect(ending.outcome.withLock { $0 } == .stopped)
  }

  @Test("it ends when told to, also when nobody takes what it writes")
  func deaf() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    try fixture.commit(inserted: [fixture.delivered(1)])
    let pipe = Pipe()
    // Full from the beginning.
    _ = fcntl(pipe.writing, F_SETFL, O_NONBLOCK)
    let filler = [UInt8](repeating: 0x20, count: 4_096)
    while write(pipe.writing, filler, filler.count) > 0 {}
    _ = fcntl(pipe.writing, F_SETFL, 0)
    let stop = DashboardStop()
    let settings = try Self.settings(fixture)
    let ending = Ending()
    let (writing, done) = (pipe.writing, try WakeSignal())
    try DedicatedThread.start(name: "plain") {
      ending.outcome.withLock {
        $0 = try? PlainDashboard(settings: settings, stop: stop, output: writing, interval: .milliseconds(5))
          .run()
      }
      done.raise()
    }
    // It writes into the room that there is, until it is used up.
    var bytes = [UInt8](repeating: 0, count: 4_096)
    #expect(read(pipe.reading, &bytes, bytes.count) == bytes.count)
    var isFull = false
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(60)
    while !isFull, clock.now < deadline {
      var waiting = pollfd(fd: writing, events: Int16(POLLOUT), revents: 0)
      isFull = poll(&waiting, 1, 0) == 0
      done.wait(atMost: .milliseconds(5))
    }
    #expect(isFull)
    stop.stop()
    done.wait(atMost: .seconds(60))
    #expect(ending.outcome.withLockIfAvailable { $0 } == .some(.stopped))
    close(pipe.writing)
  }

  private final class Ending: Sendable {
    let outcome = Mutex<Dashboard.Outcome?>(nil)
  }

  @Test("a reader that leaves ends it quietly")
  func leaves() throws {
    let fixture = try RecordedStore()
    try fixture.begin()
    try fixture.commit(inserted: [fixture.delivered(1)])
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    close(ends[0])
    let plain = PlainDashboard(
      settings: try Self.settings(fixture), stop: DashboardStop(), output: ends[1], interval: .milliseconds(5)
    )
    #expect(try plain.run() == .hangup)
    close(ends[1])
  }

  @Test("a store that cannot be read is an error with a remedy, not a wait")
  func errors() throws {
    let fixture = try RecordedStore()
    let missing = #expect(throws: DashboardError.self) {
      try PlainDashboard(settings: Self.settings(fixture), stop: DashboardStop(), output: -1).run()
    }
    #expect(missing?.code == .unreadableStore && missing?.remedy.contains("pushscope collect") == true)
    try fixture.begin(targets: ["a"])
    let wrong = #expect(throws: DashboardError.self) {
      try PlainDashboard(settings: Self.settings(fixture, target: "z"), stop: DashboardStop(), output: -1)
        .run()
    }
    #expect(wrong?.code == .notFound && wrong?.remedy == "it has a")
  }

  @Test("themes and motion that do not exist are refused with those that do")
  func options() throws {
    var options = Dashboard.Options(.store("/x"), environment: ["PUSHSCOPE_MOTION": "basic"])
    #expect(try DashboardSettings(options, isTerminal: true).motion == .basic)
    #expect(try DashboardSettings(options, isTerminal: false).isPlain)
    options.theme = "Dark"
    #expect(try DashboardSettings(options, isTerminal: true).theme?.name == "dark")
    options.theme = "purple"
    let theme = #expect(throws: DashboardError.self) { try DashboardSettings(options, isTerminal: true) }
    #expect(theme?.code == .unknownTheme && theme?.remedy.contains("dark, light, colour-blind") == true)
    options.theme = nil
    options.environment["PUSHSCOPE_MOTION"] = "wild"
    let motion = #expect(throws: DashboardError.self) { try DashboardSettings(options, isTerminal: true) }
    #expect(motion?.code == .unknownMotion)
  }
}
