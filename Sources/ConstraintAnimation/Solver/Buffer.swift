/// A growable run of plain values that owns its memory.
///
/// An `Array` would check for uniqueness and exclusivity on each access; the owner of a buffer is a noncopyable
/// struct, so both hold by construction and the pointer can be used directly. Memory is kept until the buffer dies,
/// so that a solve that needs no more room than an earlier one allocates nothing.
struct Buffer<Element: BitwiseCopyable>: ~Copyable {
  private(set) var base: UnsafeMutablePointer<Element>
  private(set) var capacity: Int
  var count = 0

  init(capacity: Int = 8) {
    self.capacity = capacity
    base = .allocate(capacity: capacity)
  }

  init(repeating element: Element, count: Int) {
    self.init(capacity: max(count, 1))
    fill(to: count, with: element)
  }

  deinit { base.deallocate() }

  var isEmpty: Bool { count == 0 }

  subscript(index: Int) -> Element {
    @inline(__always) get {
      assert(index >= 0 && index < count)
      return base[index]
    }
    @inline(__always) set {
      assert(index >= 0 && index < count)
      base[index] = newValue
    }
  }

  /// Makes room for `wanted` elements altogether, half as many again as now at the least.
  mutating func reserve(_ wanted: Int) {
    guard wanted > capacity else { return }
    let room = Swift.max(wanted, capacity + capacity / 2)
    let grown = UnsafeMutablePointer<Element>.allocate(capacity: room)
    grown.update(from: base, count: count)
    base.deallocate()
    base = grown
    capacity = room
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { reserve(count + 1) }
    base[count] = element
    count += 1
  }

  mutating func popLast() -> Element? {
    guard count > 0 else { return nil }
    count -= 1
    return base[count]
  }

  /// Appends copies of `element` until there are `wanted`.
  mutating func fill(to wanted: Int, with element: Element) {
    reserve(wanted)
    while count < wanted {
      base[count] = element
      count += 1
    }
  }

  mutating func removeAll() { count = 0 }
}
