/// The cells of one row sorted by rendition, each rendition's cells in a chain from left to right.
///
/// A scatter plot changes its color at nearly every mark. Said one after another the colors cost three times the
/// marks; painted color by color each is said once.
struct RowInks: ~Copyable {
  /// More renditions than these are not worth sorting.
  static let most = 16

  struct Ink {
    var pen: RenditionState
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

  /// The number of a rendition, which may be a new one without cells yet.
  /// - Returns: `nil` when there are too many.
  @inline(__always)
  mutating func index(of pen: RenditionState) -> Int? {
    let slot = Int(((pen.foreground ^ (pen.background << 7) ^ UInt32(pen.attributes)) &* 0x9E37_79B1) >> 27)
    var index = Int(slots[slot])
    if index >= count || inks[index].pen != pen {
      index = 0
      while index < count && inks[index].pen != pen { index += 1 }
      slots[slot] = UInt8(index)
    }
    if index < count { return index }
    guard count < RowInks.most else { return nil }
    inks.advanced(by: count).initialize(to: Ink(pen: pen, first: -1, last: -1))
    count += 1
    return index
  }

  /// The cell at `x` is of that rendition; cells come from left to right.
  @inline(__always)
  mutating func append(_ x: Int, to index: Int) {
    next[x] = -1
    if inks[index].first < 0 { inks[index].first = x } else { next[inks[index].last] = x }
    inks[index].last = x
  }
}
