import FoundationEssentials
import Glibc
import Measurement
import Store
import Synchronization
import Threads

/// The collector's store as its analyst's process has it: what is to be written goes through the pipe. One request at a time is
/// under way; other threads wait for their turn.
final class AnalystLink: AnalystStore {
  let path: String
  let collectorID: UUID
  let revisionAtStart: Int64

  private let output: PipeOutput
  private let turn = Mutex(())
  private let answer = Mutex<AnalystReply?>(nil)
  private let answered: WakeSignal

  init(_ start: AnalystStart, output: PipeOutput) throws(ThreadError) {
    path = start.storePath
    collectorID = start.collectorID
    revisionAtStart = start.revisionAtStart
    self.output = output
    answered = try WakeSignal()
  }

  /// Called with each reply, on the thread that reads the pipe.
  func deliver(_ reply: AnalystReply) {
    answer.withLock { $0 = reply }
    answered.raise()
  }

  func save(_ changes: FindingChanges) throws {
    guard !changes.isEmpty else { return }
    do {
      _ = try call(.saveFindings(changes))
    } catch is MessageError where changes.detectors.contains(where: { $0.checkpoint != nil }) {
      // Without a checkpoint it looks at more after a restart.
      var smaller = changes
      for index in smaller.detectors.indices { smaller.detectors[index].checkpoint = nil }
      _ = try call(.saveFindings(smaller))
    }
  }

  func resetDetectors() throws { _ = try call(.resetDetectors) }

  func save(_ changes: ObjectiveChanges) throws {
    guard !changes.isEmpty else { return }
    _ = try call(.saveObjectives(changes))
  }

  func expectForwarding(at place: String) throws { _ = try call(.expectForwarding(place: place)) }

  func beginForwarding(to fleet: String, at place: String) throws -> ForwardCursor {
    guard case .cursor(let cursor) = try call(.beginForwarding(fleet: fleet, place: place)) else {
      throw unexpected
    }
    return cursor
  }

  func resumeForwarding(_ fleet: String) throws { _ = try call(.resumeForwarding(fleet: fleet)) }

  func moveForwardCursor(of fleet: String, to revision: Int64) throws {
    _ = try call(.moveCursor(fleet: fleet, revision: revision))
  }

  func beginRenumbering(
    after common: Int64, above highest: Int64, runs: [String]
  ) throws -> Renumbering {
    let reply = try call(.beginRenumbering(after: common, above: highest, runs: runs))
    guard case .renumbering(let renumbering?) = reply else { throw unexpected }
    return renumbering
  }

  func advance(_ renumbering: Renumbering) throws -> Renumbering? {
    guard case .renumbering(let rest) = try call(.renumber(renumbering)) else { throw unexpected }
    return rest
  }

  private func call(_ request: AnalystRequest) throws -> AnalystReply {
    let frame = try MessageFrame.encode(AnalystMessage.request(request))
    let reply = turn.withLock { _ in
      output.write(frame)
      while true {
        _ = answered.wait(for: nil, events: 0)
        let reply = answer.withLock { answer in
          defer { answer = nil }
          return answer
        }
        if let reply { return reply }
      }
    }
    if case .failed(let error) = reply { throw error }
    return reply
  }

  private var unexpected: StoreError {
    StoreError(
      .ioFailure, path: path, detail: "the collector gave an answer that was not asked for",
      remedy: "please report it")
  }
}

/// The end of a pipe to which several threads write whole messages. Its reader's end ends the process.
final class PipeOutput: Sendable {
  private let descriptor: Mutex<Int32>

  /// - Parameter descriptor: stays open.
  init(_ descriptor: Int32) { self.descriptor = Mutex(descriptor) }

  func write(_ frame: [UInt8]) {
    descriptor.withLock { descriptor in
      frame.withUnsafeBytes { if DescriptorOutput.write($0, to: descriptor) != nil { _exit(0) } }
    }
  }
}
