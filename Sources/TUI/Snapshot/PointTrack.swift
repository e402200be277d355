import Measurement
import Store

/// A contiguous range of the notifications of one target, in the order of their sequence numbers, which is that of their
/// planned times.
///
/// Snapshots share chunks of points: a change copies one chunk, not the track.
struct PointTrack: Sendable {
  let target: TargetID
  private(set) var firstSequence: Int64
  private var chunks: [ContiguousArray<SamplePoint>] = []
  private(set) var count = 0

  /// Points planned before this time, µs, are left out by `range(from:to:)`, because they are in the density sums.
  var hiddenBefore = Int64.min

  static let chunkSize = 2_048

  init(target: TargetID, firstSequence: Int64 = 1) {
    self.target = target
    self.firstSequence = firstSequence
  }

  var isEmpty: Bool { count == 0 }

  /// One more than the last sequence number.
  var endSequence: Int64 { firstSequence + Int64(count) }

  /// The point at an index from the front.
  subscript(index: Int) -> SamplePoint { chunks[index / Self.chunkSize][index % Self.chunkSize] }

  /// Appends the point of the next sequence number.
  mutating func append(_ point: SamplePoint) {
    if count % Self.chunkSize == 0 {
      var chunk = ContiguousArray<SamplePoint>()
      chunk.reserveCapacity(Self.chunkSize)
      chunks.append(chunk)
    }
    chunks[chunks.count - 1].append(point)
    count += 1
  }

  /// Replaces the point of a sequence number.
  /// - Returns: the old point, or `nil` when the number is not in the track.
  mutating func update(sequence: Int64, to point: SamplePoint) -> SamplePoint? {
    guard sequence >= firstSequence, sequence < endSequence else { return nil }
    let index = Int(sequence - firstSequence)
    let old = self[index]
    chunks[index / Self.chunkSize][index % Self.chunkSize] = point
    return old
  }

  /// Drops whole chunks from the front until at most `limit` points and one chunk are left.
  mutating func dropFirst(keeping limit: Int) {
    var dropped = 0
    while count - dropped * Self.chunkSize >= limit + Self.chunkSize { dropped += 1 }
    guard dropped > 0 else { return }
    chunks.removeFirst(dropped)
    count -= dropped * Self.chunkSize
    firstSequence += Int64(dropped * Self.chunkSize)
  }

  /// Drops everything from a sequence number on: plans that were taken back.
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

  /// Indices of the points planned from `start` up to, not including, `end`.
  func range(from start: WallTime, to end: WallTime) -> Range<Int> {
    let lower = firstIndex(notBefore: max(start.microseconds, hiddenBefore))
    return lower..<max(lower, firstIndex(notBefore: end.microseconds))
  }

  /// Index of the first point that was not planned before a time, µs.
  func firstIndex(notBefore time: Int64) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].plannedAt < time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Calls `body` with contiguous buffers that together make up `range`.
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
