import ConstraintAnimation
import Measurement
import Store
import StoreTestKit
import Testing

@testable import TUI

@Suite("Starting, stopping, renaming, deleting")
struct ControlTests {
  private static func snapshot(collector: CollectorStatus?) -> Snapshot {
    var snapshot = RunsPanelTests.snapshot(4)
    snapshot.collector = collector
    return snapshot
  }

  private static let newest = RunsPanelTests.entries(1)[0].id

  private static func type(_ text: String, into stage: inout Stage) {
    for character in text { stage.press(character) }
  }

  @Test("s asks before it stops the run that is recorded")
  func stop() throws {
    var stage = try Stage(
      snapshot: Self.snapshot(
        collector: CollectorStatus(isRunning: true, run: Self.newest, staysAfterRun: true)))
    stage.press("s")
    stage.frame()
    #expect(stage.text.contains("stop the run?") && stage.text.contains("another run"))
    stage.press("n")
    #expect(stage.effects.isEmpty && stage.screen.overlay == nil)
    stage.press("s")
    stage.press("y")
    stage.frame()
    #expect(stage.effects == [.control(.stop)])
    #expect(stage.rows.last?.contains("sending the request") == true)
    stage.screen.report(ControlReport(command: .stop, result: .done), at: .zero)
    stage.frame()
    #expect(stage.rows.last?.contains("the run is stopped") == true)
  }

  @Test("an idle collector is named, and s starts a run with or without a name", arguments: ["canary", ""])
  func start(name: String) throws {
    var stage = try Stage(
      columns: 160,
      snapshot: Self.snapshot(collector: CollectorStatus(isRunning: true, run: nil, staysAfterRun: true)))
    #expect(stage.rows[0].contains("collector idle, s starts a run"))
    stage.press("s")
    Self.type(name, into: &stage)
    stage.press(.enter)
    #expect(stage.effects == [.control(.start(name: name.isEmpty ? nil : name))])
  }

  @Test("without a collector it says how to get one")
  func nobody() throws {
    var stage = try Stage(
      snapshot: Self.snapshot(collector: CollectorStatus(isRunning: false, run: nil, staysAfterRun: false)))
    stage.press("s")
    stage.frame()
    #expect(stage.effects.isEmpty && stage.rows.last?.contains("pushscope collect --store") == true)
  }

  @Test("an empty store whose collector is idle says that s starts a run, and it does")
  func emptyStore() throws {
    var snapshot = Snapshot()
    (snapshot.number, snapshot.condition) = (1, .empty)
    snapshot.collector = CollectorStatus(isRunning: true, run: nil, staysAfterRun: true)
    var stage = try Stage(snapshot: snapshot)
    #expect(stage.text.contains("s starts a run"))
    stage.press("s")
    stage.frame()
    #expect(stage.text.contains("start a run"))
    stage.press(.enter)
    #expect(stage.effects == [.control(.start(name: nil))])
  }

  @Test("a run is renamed with its name to begin with")
  func rename() throws {
    var stage = try Stage(snapshot: Self.snapshot(collector: nil))
    stage.press("R")
    stage.frame()
    #expect(stage.rows.last?.contains("renamed in their panel") == true)
    stage.press("4")
    stage.press(.down)
    stage.press("R")
    stage.press(.character("u"), .control)
    Self.type("q1", into: &stage)
    stage.press(.enter)
    #expect(stage.effects == [.control(.rename(RunsPanelTests.id(1), name: "q1"))])
    stage.screen.report(
      ControlReport(
        command: .rename(RunsPanelTests.id(1), name: "q1"), result: .refused("the store is locked; try again")
      ),
      at: .zero)
    stage.frame()
    #expect(stage.rows.last?.contains("the store is locked; try again") == true)
  }

  @Test("a run is deleted after a question, and what it was shown in goes on with the newest")
  func delete() throws {
    var stage = try Stage(
      snapshot: Self.snapshot(
        collector: CollectorStatus(isRunning: true, run: Self.newest, staysAfterRun: false)))
    stage.press("4")
    stage.press("X")
    stage.frame()
    #expect(stage.rows.last?.contains("stop it first") == true && stage.screen.overlay == nil)
    stage.press(.down)
    stage.press(" ")
    stage.press(.enter)
    stage.press("X")
    stage.frame()
    #expect(stage.text.contains("delete the run?") && stage.text.contains("This cannot be undone"))
    stage.press("y")
    #expect(stage.effects == [.control(.delete(RunsPanelTests.id(1)))])
    #expect(stage.screen.order.subject.run == RunsPanelTests.id(1))
    stage.screen.report(ControlReport(command: .delete(RunsPanelTests.id(1)), result: .done), at: .zero)
    #expect(stage.screen.order.subject.run == nil && stage.screen.state.runs.marked.isEmpty)
  }

  @Test("the worker carries a command to the store and reports what became of it")
  func worker() async throws {
    let fixture = try RecordedStore()
    let run = try fixture.begin()
    try fixture.end()
    fixture.close()
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let worker = ControlWorker(path: fixture.path, clock: fixture.clock) { continuation.yield() }
    var iterator = stream.makeAsyncIterator()
    try worker.send(.rename(run, name: "kept"))
    _ = await iterator.next()
    #expect(worker.drain() == [ControlReport(command: .rename(run, name: "kept"), result: .done)])
    #expect(worker.drain().isEmpty)
    try worker.send(.start(name: nil))
    _ = await iterator.next()
    guard case .refused(let reason) = worker.drain().first?.result else {
      Issue.record("there is no collector")
      return
    }
    #expect(reason.contains("collector"))
    let reader = try StoreReader.open(at: fixture.path)
    defer { reader.close() }
    #expect(try reader.run(run)?.name == "kept")
  }
}
