import Measurement
import Store

/// The notifications of one target without a gap, in the order of their sequence numbers, which is that of their
/// planned times.
///
/// They lie in chunks that snapshots share: a change copies the chunk it falls into, not the track.
struct PointTrack: Sendable {
  let target: TargetID
  private(set) var firstSequence: Int64
  private var chunks: [ContiguousArray<SamplePoint>] = []
  private(set) var count = 0

  /// Those planned before, µs, are in sums instead: `range(from:to:)` leaves them out.
  var hiddenBefore = Int64.min

  static let chunkSize = 2_048

  init(target: TargetID, firstSequence: Int64 = 1) {
    self.target = target
    self.firstSequence = firstSequence
  }

  var isEmpty: Bool { count == 0 }

  /// One past the last.
  var endSequence: Int64 { firstSequence + Int64(count) }

  /// The point at a place from the front.
  subscript(index: Int) -> SamplePoint { chunks[index / Self.chunkSize][index % Self.chunkSize] }

  /// Adds what comes next in sequence.
  mutating func append(_ point: SamplePoint) {
    if count % Self.chunkSize == 0 {
      var chunk = ContiguousArray<SamplePoint>()
      chunk.reserveCapacity(Self.chunkSize)
      chunks.append(chunk)
    }
    chunks[chunks.count - 1].append(point)
    count += 1
  }

  /// Replaces the point of a sequence number that is here.
  /// - Returns: what it was, or nil when the number is not in the track.
  mutating func update(sequence: Int64, to point: SamplePoint) -> SamplePoint? {
    guard sequence >= firstSequence, sequence < endSequence else { return nil }
    let index = Int(sequence - firstSequence)
    let old = self[index]
    chunks[index / Self.chunkSize][index % Self.chunkSize] = point
    return old
  }

  /// Lets whole chunks go from the front until at most `limit` points, and a chunk more, are left.
  mutating func dropFirst(keeping limit: Int) {
    var dropped = 0
    while count - dropped * Self.chunkSize >= limit + Self.chunkSize { dropped += 1 }
    guard dropped > 0 else { return }
    chunks.removeFirst(dropped)
    count -= dropped * Self.chunkSize
    firstSequence += Int64(dropped * Self.chunkSize)
  }

  /// Lets go everything from a sequence number on: plans that were taken back.
  mutating func removeAll(from sequence: Int64) {
    let kept = max(0, Int(min(sequence, endSequence) - firstSequence))
    guard kept < count else { return }
    let fullChunks = (kept + Self.chunkSize - 1) / Self.chunkSize
    chunks.removeLast(chunks.count - fullChunks)
    if let last = chunks.indices.last {
      let rest = kept - last * Self.chunkSize
      chunks[last].removeLast(chunks[last].count - rest)
    }
    count = kept
  }

  /// Places of the points planned from `start` up to, not including, `end`.
  func range(from start: WallTime, to end: WallTime) -> Range<Int> {
    let lower = firstIndex(notBefore: max(start.microseconds, hiddenBefore))
    return lower..<max(lower, firstIndex(notBefore: end.microseconds))
  }

  /// The place of the first point that was not planned before a time, µs.
  func firstIndex(notBefore time: Int64) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].plannedAt < time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Calls `body` with runs of neighboring points that together make up `range`.
  func forEachRun(in range: Range<Int>, _ body: (UnsafeBufferPointer<SamplePoint>) -> Void) {
    var index = range.lowerBound
    while index < range.upperBound {
      let chunk = index / Self.chunkSize
      let from = index % Self.chunkSize
      let to = min(Self.chunkSize, from + range.upperBound - index)
      chunks[chunk].withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[from..<to])) }
      index += to - from
    }
  }
}
