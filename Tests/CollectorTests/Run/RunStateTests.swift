import Foundation
import Measurement
import Store
import Testing

@testable import Collector

/// Every action in every phase: what it leads to, and what is to be done.
@Suite struct RunStateTests {
  private static let id = RunID(uuid: UUID(high: 0x018c_0000_0000_7000, low: 0x8000_0000_0000_0007))
  private static let drain = Duration.seconds(10)

  private static func time(_ seconds: Int) -> MonotonicTime { .zero + .seconds(seconds) }

  /// A state with targets of a timeout of 4 s and a receipt deadline of 30 s.
  private static func preparing(staysAfterRun: Bool = true) -> RunState {
    var state = RunState(staysAfterRun: staysAfterRun, drain: drain)
    state.prepare(at: time(0))
    state.add(timeout: .seconds(4), receiptDeadline: .seconds(30))
    state.add(timeout: .seconds(2), receiptDeadline: .zero)
    return state
  }

  private static func sending() -> RunState {
    var state = preparing()
    _ = state.send(id)
    return state
  }

  private static func closing() -> RunState {
    var state = sending()
    _ = state.close(at: time(60))
    return state
  }

  private static func closed() -> RunState {
    var state = closing()
    _ = state.finish()
    return state
  }

  private static func idle() -> RunState {
    var state = closed()
    _ = state.enterIdle()
    return state
  }

  private static func ending(_ reason: String, _ seconds: Int) -> RunState.Effect {
    .announce(RecorderInbox.Ending(reason: reason, atMost: .seconds(seconds)))
  }

  private static func close(by deadline: Duration, lastTry: Duration) -> RunState.Effect {
    .close(RecorderInbox.Closing(deadline: .zero + deadline, lastTry: .zero + lastTry))
  }

  private struct Row: CustomTestStringConvertible {
    var testDescription: String
    var state: RunState
    var effects: [RunState.Effect]
    var act: @Sendable (inout RunState) -> [RunState.Effect]

    init(
      _ name: String, _ state: RunState, _ effects: [RunState.Effect],
      _ act: @escaping @Sendable (inout RunState) -> [RunState.Effect]
    ) {
      (testDescription, self.state, self.effects, self.act) = (name, state, effects, act)
    }
  }

  private static let stopping: [RunState.Effect] = [
    .stopSending(draining: .seconds(4)), ending("told to stop", 10),
  ]
  private static let ends: [Row] = [
    Row("stop, preparing", preparing(), [.stopServices]) { $0.stop(at: time(70)) },
    Row("stop, sending", sending(), stopping) { $0.stop(at: time(70)) },
    Row(
      "stop, closing", closing(),
      [ending("told to stop", 10), close(by: .seconds(80), lastTry: .seconds(80))]
    ) { $0.stop(at: time(70)) },
    Row("stop, closed", closed(), []) { $0.stop(at: time(70)) },
    Row("stop, idle", idle(), []) { $0.stop(at: time(70)) },
    Row("end of the collector, sending", sending(), stopping) { $0.end(at: time(70)) },
    Row("second stop, sending", sending(), []) { state in
      _ = state.stop(at: time(70))
      return state.stop(at: time(71))
    },
    Row("no recorder, preparing", preparing(), [.stopServices]) { $0.failRecording() },
    Row("no recorder, sending", sending(), [.stopSending(draining: .zero)]) { $0.failRecording() },
    Row("no recorder, closing", closing(), []) { $0.failRecording() },
    Row("sends after a stop", preparing(), stopping) { state in
      _ = state.stop(at: time(1))
      return state.send(id)
    },
    Row("sends without a recorder", preparing(), [.stopSending(draining: .zero)]) { state in
      _ = state.failRecording()
      return state.send(id)
    },
    Row(
      "everything is sent", sending(),
      [ending("everything is sent", 30), close(by: .milliseconds(90_500), lastTry: .milliseconds(95_500))]
    ) { $0.close(at: time(60)).effects },
    Row("drained after a stop", sending(), [close(by: .seconds(80), lastTry: .seconds(85))]) { state in
      _ = state.stop(at: time(70))
      return state.close(at: time(72)).effects
    },
    Row("told to end before it sends", preparing(), [close(by: .seconds(11), lastTry: .seconds(16))]) {
      state in
      _ = state.stop(at: time(1))
      return state.close(at: time(2)).effects
    },
  ]

  @Test(arguments: ends) private func whatIsToBeDone(_ row: Row) {
    var state = row.state
    let effects = row.act(&state)
    #expect(effects == row.effects)
  }

  /// Replies to a start and to a stop, and whether a reload finds a run.
  private static let replies:
    [(String, RunState, start: ControlReply, stop: ControlReply, isReloadable: Bool)] = [
      ("preparing", preparing(), .later, .taken, true),
      ("sending", sending(), .refused("a run is being recorded; stop it first"), .taken, true),
      ("closing", closing(), .refused("a run is being recorded; stop it first"), .taken, false),
      ("closed", closed(), .later, .later, false),
      ("idle", idle(), .taken, .refused("no run is being recorded"), false),
    ]

  @Test(arguments: replies.indices) func commands(_ index: Int) {
    let (_, state, start, stop, isReloadable) = Self.replies[index]
    var started = state
    let startReply = started.requestStart(name: "n", row: 3).reply
    #expect(startReply == start)
    var stopped = state
    let stopReply = stopped.requestStop(row: 4, at: Self.time(70)).reply
    #expect(stopReply == stop)
    #expect((state.isBeginning || state.isSending) == isReloadable)
    #expect(!stopped.isBeginning && !stopped.isSending)
    var over = state
    _ = over.end(at: Self.time(70))
    let lateReply = over.requestStart(name: nil, row: 5).reply
    #expect(lateReply == .refused("the collector is ending"))
    let waits = over.enterIdle()
    #expect(!waits)
  }

  @Test func aRequestedRunBeginsOnce() {
    var state = Self.idle()
    let effects = state.requestStart(name: "n", row: 3).effects
    #expect(effects == [.begin(name: "n", row: 3)])
    let secondStart = state.requestStart(name: "m", row: 4).reply
    #expect(secondStart == .later)
    let stop = state.requestStop(row: 5, at: Self.time(70)).reply
    #expect(stop == .later)
  }

  @Test func theEndAnswersEachCommandThatAskedForIt() {
    var state = Self.sending()
    #expect(state.id == Self.id)
    _ = state.requestStop(row: 4, at: Self.time(70))
    _ = state.requestStop(row: 5, at: Self.time(71))
    let start = state.requestStart(name: nil, row: 6).reply
    #expect(start == .later)
    let reason = state.close(at: Self.time(72)).reason
    #expect(reason == .stopped)
    #expect(state.id == Self.id)
    let closed = state.finish()
    #expect(closed == RunState.Closed(stopRows: [4, 5], hasSent: true))
    #expect(state.id == nil)
    let again = state.finish()
    #expect(again == RunState.Closed(stopRows: [], hasSent: false))
  }

  @Test func aRunThatEndsBeforeItSendsHasSentNothing() {
    var state = Self.preparing()
    _ = state.stop(at: Self.time(1))
    #expect(!state.isBeginning)
    let reason = state.close(at: Self.time(2)).reason
    #expect(reason == .stopped)
    let closed = state.finish()
    #expect(closed == RunState.Closed(stopRows: [], hasSent: false))
  }

  @Test func aCollectorWithOneRunDoesNotWaitForAnother() {
    var state = Self.preparing(staysAfterRun: false)
    _ = state.send(Self.id)
    let reason = state.close(at: Self.time(2)).reason
    #expect(reason == .completed)
    _ = state.finish()
    let waits = state.enterIdle()
    #expect(!waits)
  }

  @Test func aRunThatIsOpenedAfterTheEndWasAskedForDoesNotSend() {
    var state = RunState(staysAfterRun: true, drain: Self.drain)
    _ = state.end(at: Self.time(0))
    state.prepare(at: Self.time(1))
    #expect(!state.isBeginning)
    let first = state.send(Self.id).first
    #expect(first == .stopSending(draining: .zero))
  }
}
