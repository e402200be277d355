import Dispatch

extension Array where Element: Sendable {
  /// The results of the elements in their order, computed on all processors.
  public func concurrentMap<Result: Sendable>(_ transform: @Sendable (Element) -> Result) -> [Result] {
    [Result](unsafeUninitializedCapacity: count) { results, initialized in
      nonisolated(unsafe) let first = results.baseAddress  // Each iteration initializes a place of its own.
      DispatchQueue.concurrentPerform(iterations: count) { place in
        first?.advanced(by: place).initialize(to: transform(self[place]))
      }
      initialized = count
    }
  }
}
