import Glibc
import Synchronization

/// Writes lines to a descriptor on a thread of its own, so that a reader that stops reading holds up nobody but this thread.
///
/// The lines that wait are bounded. What does not fit is left out and counted, and a line in its place says how much it was.
public final class LineWriter: Sendable {
  private enum Item {
    case line([UInt8])
    /// So many lines were left out here.
    case missing(Int)
  }

  private struct State {
    var waiting: [Item] = []
    /// The size of the lines that wait and of those that are being written.
    var bytes = 0
    var isWriting = false
    var isClosing = false
    /// Lines whose place is reached, or that were refused, and of which no line has told yet.
    var untold = 0
    var dropped: UInt64 = 0

    var isIdle: Bool { waiting.isEmpty && !isWriting }

    /// Leaves a line out, after those that wait.
    mutating func leaveOut() {
      dropped += 1
      if isClosing {
        untold += 1
      } else if case .missing(let count) = waiting.last {
        waiting[waiting.count - 1] = .missing(count + 1)
      } else {
        waiting.append(.missing(1))
      }
    }

    /// Takes the lines that were left out before the first one that waits.
    mutating func leftOutSince() -> Int {
      guard case .missing(let count)? = waiting.first else { return 0 }
      waiting.removeFirst()
      return count
    }

    mutating func refuse() {
      dropped += 1
      untold += 1
    }
  }

  /// Memory that a line takes beside its bytes.
  private static let overhead = 32

  private let descriptor: Int32
  private let capacity: Int
  private let words: @Sendable (Int) -> String
  private let work: WakeSignal
  private let idle: WakeSignal
  private let state = Mutex(State())

  /// Starts the thread.
  /// - Parameters:
  ///   - descriptor: stays the caller's, and open until everything is written; may be non-blocking.
  ///   - name: of the thread.
  ///   - capacity: bytes that may wait. A longer line is taken only when nothing waits.
  ///   - words: the line, without a line break, that says how many were left out.
  /// - Throws: ``ThreadError``.
  public init(
    _ descriptor: Int32, name: String, capacity: Int, words: @escaping @Sendable (Int) -> String
  ) throws(ThreadError) {
    self.descriptor = descriptor
    self.capacity = capacity
    self.words = words
    work = try WakeSignal()
    idle = try WakeSignal()
    try DedicatedThread.start(name: name) { [self] in
      while let items = next() { write(items) }
    }
  }

  /// Lines that were not written: left out because too many waited, or refused by the descriptor.
  public var dropped: UInt64 { state.withLock { $0.dropped } }

  /// Queues a line, to which a line break is added. Never waits.
  public func write(_ line: String) {
    let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
    state.withLock { state in
      guard !state.isClosing, state.isIdle || state.bytes + bytes.count + Self.overhead <= capacity else {
        return state.leaveOut()
      }
      state.waiting.append(.line(bytes))
      state.bytes += bytes.count + Self.overhead
    }
    work.raise()
  }

  /// Waits until everything is written.
  /// - Returns: `false` when the time was too short for that.
  @discardableResult
  public func flush(within limit: Duration) -> Bool {
    let deadline = SuspendingClock.now + limit
    while !state.withLock({ $0.isIdle }) {
      let left = deadline - SuspendingClock.now
      guard left > .zero else { return false }
      idle.wait(atMost: left)
    }
    return true
  }

  /// Ends the thread once everything is written, and waits for that. Later lines are left out.
  /// - Returns: `false` when the time was too short: the descriptor must stay open.
  @discardableResult
  public func close(within limit: Duration) -> Bool {
    state.withLock { $0.isClosing = true }
    work.raise()
    return flush(within: limit)
  }

  // MARK: Thread

  /// Waits for lines.
  /// - Returns: `nil` at the end.
  private func next() -> [Item]? {
    while true {
      let (items, isOver) = state.withLock { state in
        defer { state.waiting = [] }
        state.isWriting = !state.waiting.isEmpty
        return (state.waiting, state.isClosing)
      }
      if !items.isEmpty { return items }
      idle.raise()
      if isOver { return nil }
      _ = work.wait(for: nil, events: 0)
    }
  }

  private func write(_ items: [Item]) {
    for (place, item) in items.enumerated() {
      switch item {
      case .line(let line):
        let isWritten = put(line)
        state.withLock { state in
          state.bytes -= line.count + Self.overhead
          if !isWritten { state.refuse() }
        }
      case .missing(let count):
        state.withLock { state in
          state.untold += count
          if place == items.count - 1 { state.untold += state.leftOutSince() }
        }
        writeMissing()
      }
    }
    writeMissing()
  }

  /// Says how many lines are missing here.
  private func writeMissing() {
    let untold = state.withLock { state in
      defer { state.untold = 0 }
      return state.untold
    }
    guard untold > 0, !put(Array((words(untold) + "\n").utf8)) else { return }
    state.withLock { $0.untold += untold }
  }

  /// - Returns: whether the descriptor took the line.
  private func put(_ line: [UInt8]) -> Bool {
    line.withUnsafeBytes { DescriptorOutput.write($0, to: descriptor) } == nil
  }
}
