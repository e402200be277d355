/// Running blocks that end by themselves, the one that completes next in front: a binary heap.
struct CompletionQueue {
  private var heap: [AnimationBlock] = []

  /// The block that completes next. Blocks retired before their time are dropped on the way.
  mutating func next() -> AnimationBlock? {
    while let first = heap.first {
      if !first.isRetired { return first }
      removeFirst()
    }
    return nil
  }

  mutating func insert(_ block: AnimationBlock) {
    heap.append(block)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard precedes(heap[child], heap[parent]) else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var smallest = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && precedes(heap[child], heap[smallest]) {
        smallest = child
      }
      guard smallest != parent else { return }
      heap.swapAt(smallest, parent)
      parent = smallest
    }
  }

  /// Of blocks that end together the one comes first that would end first with full motion, then the older.
  private func precedes(_ one: AnimationBlock, _ other: AnimationBlock) -> Bool {
    (one.end, one.order, one.id) < (other.end, other.order, other.id)
  }
}
