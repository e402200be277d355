/// A queue that gives its storage back in large steps, so that neither end costs more than a few instructions.
struct FIFO<Element> {
  private var elements: [Element] = []
  private var head = 0

  var count: Int { elements.count - head }
  var isEmpty: Bool { head == elements.count }
  var first: Element? { isEmpty ? nil : elements[head] }
  var last: Element? { isEmpty ? nil : elements[elements.count - 1] }

  /// The element `offset` places behind the first.
  subscript(offset: Int) -> Element { elements[head + offset] }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func append(contentsOf more: some Sequence<Element>) { elements.append(contentsOf: more) }

  /// Puts an element before the first: rare, and dear when nothing was taken before.
  mutating func prepend(_ element: Element) {
    if head > 0 {
      head -= 1
      elements[head] = element
    } else {
      elements.insert(element, at: 0)
    }
  }

  @discardableResult
  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head]
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 4096, head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }

  @discardableResult
  mutating func popLast() -> Element? {
    guard !isEmpty else { return nil }
    let element = elements.removeLast()
    if head == elements.count {
      elements.removeAll(keepingCapacity: true)
      head = 0
    }
    return element
  }

  mutating func removeAll() {
    elements.removeAll(keepingCapacity: true)
    head = 0
  }
}

extension FIFO: Sendable where Element: Sendable {}
