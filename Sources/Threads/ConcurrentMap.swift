import Dispatch

extension Array {
  /// The results of the elements in their order, computed on all processors: `transform` runs on several threads at once, and may
  /// only read what it captures.
  public func concurrentMap<Result>(_ transform: (Element) -> Result) -> [Result] {
    [Result](unsafeUninitializedCapacity: count) { results, initialized in
      // Each iteration initializes a place of its own.
      nonisolated(unsafe) let (first, elements, transform) = (results.baseAddress, self, transform)
      DispatchQueue.concurrentPerform(iterations: count) { place in
        first?.advanced(by: place).initialize(to: transform(elements[place]))
      }
      initialized = count
    }
  }
}
