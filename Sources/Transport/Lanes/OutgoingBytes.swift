import DequeModule

/// What a connection is to send: bytes that wait for it, and where among all its bytes each request ends, so that an instant
/// at which bytes left becomes an instant at which requests left.
struct OutgoingBytes {
  private var bytes: [UInt8] = []
  /// Where the waiting bytes begin.
  private var head = 0
  /// Bytes that the connection has taken.
  private(set) var taken = 0
  /// The ends of requests that have not left whole, ascending.
  private var ends = Deque<(stream: Int32, offset: Int)>()

  /// Bytes that wait.
  var count: Int { bytes.count - head }
  var isEmpty: Bool { head == bytes.count }

  /// Appends what `write` appends.
  mutating func append(_ write: (inout [UInt8]) -> Void) { write(&bytes) }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[head...])) }
  }

  /// The connection took the next bytes.
  mutating func consume(_ count: Int) {
    head += count
    taken += count
    guard isEmpty else { return }
    bytes.removeAll(keepingCapacity: true)
    head = 0
  }

  // MARK: Requests

  /// A request on a stream ends before this offset among all bytes.
  mutating func recordEnd(of stream: Int32, before offset: Int) { ends.append((stream, offset)) }

  /// Some request has not left whole.
  var hasUnsentRequests: Bool { !ends.isEmpty }

  /// The streams of requests that were taken whole and that ``removeSentRequest()`` has not given yet.
  var sentRequests: some Sequence<Int32> {
    ends.lazy.filter { [taken] in $0.offset <= taken }.map(\.stream)
  }

  /// The stream of the next request that was taken whole.
  mutating func removeSentRequest() -> Int32? {
    guard let first = ends.first, first.offset <= taken else { return nil }
    return ends.removeFirst().stream
  }
}
