/// The cells of one row sorted by rendition, each rendition's cells in a chain from left to right.
///
/// A scatter plot changes its color at nearly every mark. From left to right, the color changes cost three times the
/// marks; painted rendition by rendition, each color is set once.
struct RowRenditions: ~Copyable {
  /// More renditions than these are not worth sorting.
  static let most = 16

  struct Ink {
    var rendition: RenditionState
    var first: Int
    var last: Int
  }

  private(set) var count = 0
  private let renditions: UnsafeMutablePointer<Ink>
  /// Index by hash of a rendition; a hint that is always verified.
  private let slots: UnsafeMutablePointer<UInt8>
  private var next: UnsafeMutablePointer<Int>
  private var capacity = 0

  init() {
    renditions = .allocate(capacity: RowRenditions.most)
    slots = .allocate(capacity: 32)
    slots.initialize(repeating: 0, count: 32)
    next = .allocate(capacity: 0)
  }

  deinit {
    slots.deallocate()
    renditions.deallocate()
    next.deallocate()
  }

  subscript(index: Int) -> Ink { renditions[index] }

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
  mutating func index(of rendition: RenditionState) -> Int? {
    let slot = Int(
      ((rendition.foreground ^ (rendition.background << 7) ^ UInt32(rendition.attributes)) &* 0x9E37_79B1)
        >> 27)
    var index = Int(slots[slot])
    if index >= count || renditions[index].rendition != rendition {
      index = 0
      while index < count && renditions[index].rendition != rendition { index += 1 }
      slots[slot] = UInt8(index)
    }
    if index < count { return index }
    guard count < RowRenditions.most else { return nil }
    renditions.advanced(by: count).initialize(to: Ink(rendition: rendition, first: -1, last: -1))
    count += 1
    return index
  }

  /// The cell at `x` is of that rendition; cells come from left to right.
  @inline(__always)
  mutating func append(_ x: Int, to index: Int) {
    next[x] = -1
    if renditions[index].first < 0 { renditions[index].first = x } else { next[renditions[index].last] = x }
    renditions[index].last = x
  }
}
