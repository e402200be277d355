import Measurement
import Store

/// A contiguous range of the notifications of one target, in the order of their sequence numbers, which is that of their
/// planned times. Where the wall clock was set back, points that lay ahead get the times that the corrected clock would have
/// shown; their rows in the store are not changed.
///
/// Snapshots share chunks of points: a change copies one chunk, not the track.
struct PointTrack: Sendable, Equatable {
  let target: TargetID
  private(set) var firstSequence: Int64
  private var chunks: [ContiguousArray<SamplePoint>] = []
  private(set) var count = 0

  /// Points planned before this time are left out by `range(from:to:)`, because they are in the density sums.
  var hiddenBefore = WallTime.distantPast

  /// Small, so that a change leaves most of what was worked out from the others as it is.
  static let chunkSize = 512

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
    if count > 0, self[count - 1].plannedAt > point.plannedAt { place(by: point) }
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
    chunks[index / Self.chunkSize][index % Self.chunkSize] = point.planned(at: old.plannedAt)
    return old
  }

  /// Places the points that lie after a newer one, which was planned by a clock that was set back meanwhile, before it by the
  /// monotonic clock.
  private mutating func place(by newer: SamplePoint) {
    let first = firstIndex(notBefore: WallTime(microseconds: newer.plannedAt + 1))
    var earliest = first > 0 ? self[first - 1].plannedAt : .min
    for index in first..<count {
      let point = self[index]
      let age = max(0, newer.plannedMonotonic - point.plannedMonotonic)
      earliest = max(earliest, newer.plannedAt - age)
      chunks[index / Self.chunkSize][index % Self.chunkSize] = point.planned(at: earliest)
    }
  }

  /// Sets the number of a point's value; a sequence number that is not in the track is ignored. Memory is only written to where it
  /// changes.
  mutating func setValue(_ number: UInt8, of sequence: Int64) {
    guard sequence >= firstSequence, sequence < endSequence else { return }
    let index = Int(sequence - firstSequence)
    let (chunk, place) = (index / Self.chunkSize, index % Self.chunkSize)
    if chunks[chunk][place].valueNumber != number { chunks[chunk][place].valueNumber = number }
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

  /// Indices of the points planned from `start` up to, not including, `end`.
  func range(from start: WallTime, to end: WallTime) -> Range<Int> {
    let lower = firstIndex(notBefore: max(start, hiddenBefore))
    return lower..<firstIndex(notBefore: end, from: lower)
  }

  /// Index of the first point, not before `first`, that was not planned before a time: found in fewer steps the nearer it is.
  func firstIndex(notBefore time: WallTime, from first: Int = 0) -> Int {
    guard first < count else { return count }
    let time = time.microseconds
    func isBefore(_ chunk: Int) -> Bool {
      chunks[chunk].withUnsafeBufferPointer { $0[$0.count - 1].plannedAt < time }
    }
    // The first chunk whose last point is not before the time is after `low - 1`, and not after `high`.
    var low = first / Self.chunkSize
    var (high, step) = (low, 1)
    while high < chunks.count, isBefore(high) {
      low = high + 1
      high += step
      step *= 2
    }
    low = (low..<min(high, chunks.count)).partitioningIndex { !isBefore($0) }
    guard low < chunks.count else { return count }
    return chunks[low].withUnsafeBufferPointer { points in
      let base = low * Self.chunkSize
      return base + points[max(0, first - base)...].partitioningIndex { $0.plannedAt >= time }
    }
  }

  /// How many points at the front are those of an earlier state of the track, in the same memory.
  func unchangedCount(since earlier: PointTrack) -> Int {
    guard target == earlier.target, firstSequence == earlier.firstSequence else { return 0 }
    let common = min(chunks.count, earlier.chunks.count)
    let changed = (0..<common).first { chunk in
      chunks[chunk].withUnsafeBufferPointer { points in
        earlier.chunks[chunk].withUnsafeBufferPointer {
          points.baseAddress != $0.baseAddress || points.count != $0.count
        }
      }
    }
    return min(count, earlier.count, (changed ?? common) * Self.chunkSize)
  }

  /// Calls `body` with contiguous buffers that together make up `range`.
  func forEachRun(in range: Range<Int>, _ body: (UnsafeBufferPointer<SamplePoint>) -> Void) {
    forEachPart(of: range) { chunk, part in
      chunks[chunk].withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[part])) }
    }
  }

  /// Parts of chunks that together make up `range`, in the memory of the track.
  func parts(of range: Range<Int>) -> [ArraySlice<SamplePoint>] {
    var parts: [ArraySlice<SamplePoint>] = []
    forEachPart(of: range) { chunk, part in parts.append(chunks[chunk][part]) }
    return parts
  }

  private func forEachPart(of range: Range<Int>, _ body: (_ chunk: Int, _ part: Range<Int>) -> Void) {
    var index = range.lowerBound
    while index < range.upperBound {
      let from = index % Self.chunkSize
      let to = min(Self.chunkSize, from + range.upperBound - index)
      body(index / Self.chunkSize, from..<to)
      index += to - from
    }
  }
}
