/// The cells of one row sorted by rendition, each rendition's cells in a chain from left to right.
///
/// A scatter plot changes its colour at nearly every mark. Said one after another the colours cost three times the
/// marks; painted colour by colour each is said once.
struct RowInks: ~Copyable {
  /// More renditions than these are not worth sorting.
  static let most = 16

  struct Ink {
    var pen: Pen
    var first: Int
    var last: Int
  }

  private(set) var count = 0
  private let inks: UnsafeMutablePointer<Ink>
  /// Where each hash of a rendition was found last; only a guess, always checked.
  private let slots: UnsafeMutablePointer<UInt8>
  private var next: UnsafeMutablePointer<Int>
  private var capacity = 0

  init() {
    inks = .allocate(capacity: RowInks.most)
    slots = .allocate(capacity: 32)
    slots.initialize(repeating: 0, count: 32)
    next = .allocate(capacity: 0)
  }

  deinit {
    slots.deallocate()
    inks.deallocate()
    next.deallocate()
  }

  subscript(index: Int) -> Ink { inks[index] }

  /// The next cell of the same ink; -1 at the end.
  func following(_ x: Int) -> Int { next[x] }

  mutating func removeAll(columns: Int) {
    count = 0
    guard columns > capacity else { return }
    next.deallocate()
    next = .allocate(capacity: columns)
    capacity = columns
  }

  /// - Returns: false when there are too many inks.
  @inline(__always)
  mutating func append(_ pen: Pen, at x: Int) -> Bool {
    let slot = Int(((pen.foreground ^ (pen.background << 7) ^ UInt32(pen.attributes)) &* 0x9E37_79B1) >> 27)
    var index = Int(slots[slot])
    if index >= count || inks[index].pen != pen {
      index = 0
      while index < count && inks[index].pen != pen { index += 1 }
      slots[slot] = UInt8(index)
    }
    next[x] = -1
    if index < count {
      next[inks[index].last] = x
      inks[index].last = x
      return true
    }
    guard count < RowInks.most else { return false }
    inks.advanced(by: count).initialize(to: Ink(pen: pen, first: x, last: x))
    count += 1
    return true
  }
}
