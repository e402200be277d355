import Dispatch
import Synchronization

/// Chunks of notifications, each read in a transaction of its own. Their rows are visited between the transactions, while another
/// thread reads the next chunk: visiting a chunk takes about as long as reading one.
struct SampleStream: Sendable {
  typealias Place = (id: Int64, plannedAt: Int64)

  /// Fills a chunk with what follows a row; with the first rows where there is none.
  private let fill: @Sendable (_ chunk: inout SampleChunk, _ last: Place?) throws -> Void

  private let columns: SampleColumns

  init(
    _ columns: SampleColumns,
    fill: @escaping @Sendable (_ chunk: inout SampleChunk, _ last: Place?) throws -> Void
  ) {
    (self.columns, self.fill) = (columns, fill)
  }

  /// Rows of the chunks after the first: so many that waking the other thread takes no time beside reading them.
  private static let laterCapacity = 8 * SampleChunk.streamCapacity

  private func empty(_ capacity: Int) -> SampleChunk { SampleChunk(capacity: capacity, columns: columns) }

  /// Visits all rows, until a chunk is not full.
  func forEach(_ body: (borrowing SampleRow) throws -> Void) throws {
    var chunk = empty(SampleChunk.streamCapacity)
    try fill(&chunk, nil)
    guard chunk.isFull else { return try chunk.forEach(body) }
    // A queue that is serial has a thread at once, however many others wait.
    let queue = DispatchQueue(label: "pushscope.reader.ahead")
    var spare: SampleChunk?
    while chunk.isFull {
      let next = Reading(into: spare.take() ?? empty(Self.laterCapacity), after: chunk.last, fill)
      queue.async { next.run() }
      // Whatever the visit does, nothing is read any more when this returns.
      let visit = Result { try chunk.forEach(body) }
      let read = Result { try next.wait() }
      try visit.get()
      if chunk.capacity == Self.laterCapacity { spare = chunk }
      chunk = try read.get()
    }
    try chunk.forEach(body)
  }

  /// A chunk that is read on another thread.
  private final class Reading: Sendable {
    private struct State: Sendable {
      /// The memory to read into, held by nothing else, so that it is not copied.
      var chunk: SampleChunk?
      /// `nil` until it has been read.
      var result: Result<SampleChunk, any Error>?
    }

    private let state: Mutex<State>
    private let last: Place?
    private let fill: @Sendable (inout SampleChunk, Place?) throws -> Void
    private let done = DispatchSemaphore(value: 0)

    init(
      into chunk: SampleChunk, after last: Place?,
      _ fill: @escaping @Sendable (inout SampleChunk, Place?) throws -> Void
    ) {
      state = Mutex(State(chunk: chunk))
      (self.last, self.fill) = (last, fill)
    }

    func run() {
      state.withLock { state in
        guard var chunk = state.chunk.take() else { return }
        state.result = Result {
          try fill(&chunk, last)
          return chunk
        }
      }
      done.signal()
    }

    func wait() throws -> SampleChunk {
      done.wait()
      guard let result = state.withLock(\.result) else { throw CancellationError() }
      return try result.get()
    }
  }
}
