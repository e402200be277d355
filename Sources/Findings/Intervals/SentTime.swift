import Measurement

/// The time in which a series was sent: a window without what lies before its first notification, behind its last one, and
/// without the gaps in which it was not sent at all (other variants were, no run was recorded).
///
/// Blocks are cut from it and not from the window, so that notifications say the same however much time without any is
/// looked at with them.
public struct SentTime: Sendable, Hashable {
  /// Ascending, disjoint, none empty; at least one.
  public let stretches: [Range<WallTime>]
  /// The total length of the stretches before each one, µs.
  let offsets: [Int64]
  /// The total length of all stretches, µs; at least 1.
  public let length: Int64

  /// A window in which the series was sent all the time.
  public init(_ window: Range<WallTime>) { self.init(stretches: [window]) }

  fileprivate init(stretches: [Range<WallTime>]) {
    var (offsets, length): ([Int64], Int64) = ([], 0)
    for stretch in stretches {
      offsets.append(length)
      length += stretch.microseconds
    }
    (self.stretches, self.offsets, self.length) = (stretches, offsets, max(1, length))
  }

  /// The first stretch's beginning to the last one's end.
  public var bounds: Range<WallTime> {
    stretches[0].lowerBound..<stretches[stretches.count - 1].upperBound
  }

  /// The stretch that an instant is in; `nil` for one in a gap or outside.
  public func stretch(of time: WallTime) -> Int? {
    let place = stretches.partitioningIndex { $0.upperBound > time }
    return place < stretches.count && stretches[place].contains(time) ? place : nil
  }

  /// How much sent time lies before an instant, µs; `nil` for one in a gap or outside.
  func offset(of time: WallTime) -> Int64? {
    stretch(of: time).map { offsets[$0] + time.microseconds - stretches[$0].lowerBound.microseconds }
  }
}

/// Collects when a series was sent, in whole seconds, from notifications and rollups in any order.
public struct SentTimeAccumulator: Sendable {
  private struct Piece {
    /// µs since 1970.
    var start: Int64
    var end: Int64
  }

  private var pieces: [Piece] = []
  private var count = 0
  /// Pieces that are no farther apart are one, µs.
  private var resolution: Int64 = 1_000_000
  private static let second: Int64 = 1_000_000
  /// More pieces are joined, with a coarser resolution.
  private static let most = 8_192
  /// A gap is as long as a block, and longer than so many mean intervals between notifications: of independent arrivals, as
  /// many do not see one by chance.
  private static let block: Int64 = 12

  public init() {}

  /// Adds a notification by its planned time.
  public mutating func insert(_ time: WallTime) { insert(time..<time, count: 1) }

  /// Adds the notifications of a rollup.
  ///
  /// - Parameters:
  ///   - stretch: in which they were planned.
  ///   - added: how many.
  public mutating func insert(_ stretch: Range<WallTime>, count added: Int) {
    guard added > 0 else { return }
    count += added
    let second = Self.second
    let start = stretch.lowerBound.microseconds.flooringDivision(by: second) * second
    // An instant is in a second of its own.
    let last = max(stretch.lowerBound.microseconds, stretch.upperBound.microseconds - 1)
    let end = (last.flooringDivision(by: second) + 1) * second
    if let open = pieces.last, start >= open.start, start - open.end <= resolution {
      if end > open.end { pieces[pieces.count - 1].end = end }
      return
    }
    pieces.append(Piece(start: start, end: end))
    if pieces.count > Self.most { join() }
  }

  private mutating func join() {
    pieces = Self.joined(pieces, resolution)
    while pieces.count > Self.most / 2 {
      resolution *= 2
      pieces = Self.joined(pieces, resolution)
    }
  }

  private static func joined(_ pieces: [Piece], _ resolution: Int64) -> [Piece] {
    var result: [Piece] = []
    for piece in pieces.sorted(by: { $0.start < $1.start }) {
      if let open = result.last, piece.start - open.end <= resolution {
        result[result.count - 1].end = max(open.end, piece.end)
      } else {
        result.append(piece)
      }
    }
    return result
  }

  /// The time from the start of the first piece to the end of the last; `nil` without any.
  public var bounds: Range<WallTime>? {
    guard let start = pieces.lazy.map(\.start).min(), let end = pieces.lazy.map(\.end).max() else {
      return nil
    }
    return WallTime(microseconds: start)..<WallTime(microseconds: end)
  }

  /// The time in which the series was sent, as far as it lies in a window: all of it where nothing was. It begins and ends with
  /// the window where it does nearly, so that it does not depend on the length of the rollups that it is known from.
  public func time(in window: Range<WallTime>) -> SentTime {
    let parts = Self.joined(pieces, resolution).compactMap { piece -> Range<WallTime>? in
      let part = (WallTime(microseconds: piece.start)..<WallTime(microseconds: piece.end)).clamped(to: window)
      return part.isEmpty ? nil : part
    }
    guard var first = parts.first, let last = parts.last else { return SentTime(window) }
    let gaps = zip(parts, parts.dropFirst()).map { $1.lowerBound.microseconds - $0.upperBound.microseconds }
    var length = last.upperBound.microseconds - first.lowerBound.microseconds
    var shortest = Int64.max
    for gap in gaps.sorted(by: >) {
      guard gap >= length / Self.block, gap >= Self.block * (length / Int64(max(1, count))) else { break }
      shortest = gap
      length -= gap
    }
    let nearly = window.microseconds / (8 * Self.block)
    if first.lowerBound.microseconds - window.lowerBound.microseconds <= nearly {
      first = window.lowerBound..<first.upperBound
    }
    var stretches = [first]
    for (part, gap) in zip(parts.dropFirst(), gaps) {
      if gap >= shortest {
        stretches.append(part)
      } else {
        stretches[stretches.count - 1] = stretches[stretches.count - 1].lowerBound..<part.upperBound
      }
    }
    if window.upperBound.microseconds - last.upperBound.microseconds <= nearly {
      stretches[stretches.count - 1] = stretches[stretches.count - 1].lowerBound..<window.upperBound
    }
    return SentTime(stretches: stretches)
  }
}

extension Range<WallTime> {
  fileprivate var microseconds: Int64 { upperBound.microseconds - lowerBound.microseconds }
}
