/// Several observers as one, told in their order; the first is closed last.
public struct CollectionObservers: CollectionObserver {
  private let observers: [any CollectionObserver]

  public init(_ observers: [any CollectionObserver]) { self.observers = observers }

  public var watchesCommits: Bool { observers.contains(where: \.watchesCommits) }

  /// - Throws: the first observer's error; those that were opened are closed then.
  public func opened(_ store: CollectorStore) async throws {
    for (index, observer) in observers.enumerated() {
      do {
        try await observer.opened(store)
      } catch {
        for former in observers[..<index].reversed() { await former.closing() }
        throw error
      }
    }
  }

  public func began(_ run: ObservedRun) { for observer in observers { observer.began(run) } }
  public func sending(isPossible: Bool) {
    for observer in observers { observer.sending(isPossible: isPossible) }
  }
  public func committed(_ commit: ObservedCommit) {
    for observer in observers where observer.watchesCommits { observer.committed(commit) }
  }
  public func observed(_ connections: [ObservedConnection]) {
    for observer in observers { observer.observed(connections) }
  }
  public func interrupted(_ rows: [InterruptedRows]) {
    for observer in observers { observer.interrupted(rows) }
  }
  public func ended() { for observer in observers { observer.ended() } }
  public func reloaded(isSuccessful: Bool) {
    for observer in observers { observer.reloaded(isSuccessful: isSuccessful) }
  }
  /// The last one first: it may write what an earlier one forwards.
  public func closing() async { for observer in observers.reversed() { await observer.closing() } }
}
