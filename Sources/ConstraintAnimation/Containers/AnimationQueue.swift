/// Runs animations one after the other. Each is handed a closure to call when it is over; the next begins then.
public final class AnimationQueue {
  public typealias Step = (_ done: @escaping () -> Void) -> Void

  public private(set) var isRunning = false

  /// How many wait behind the one that runs.
  public var pendingCount: Int { steps.count }

  private var steps: [Step] = []
  private var generation = 0
  private var isInLoop = false

  public init() {}

  /// Begins at once when nothing runs.
  public func enqueue(_ step: @escaping Step) {
    steps.append(step)
    runNext()
  }

  /// Forgets what waits and no longer listens to what runs.
  public func removeAll() {
    steps.removeAll()
    generation += 1
    isRunning = false
  }

  /// Steps that are over at once are followed in this loop, not by recursion: a thousand of them are no deeper than
  /// one.
  private func runNext() {
    guard !isInLoop else { return }
    isInLoop = true
    while !isRunning, !steps.isEmpty {
      let step = steps.removeFirst()
      isRunning = true
      let current = generation
      var isOver = false
      step { [weak self] in
        guard let self, current == self.generation, !isOver else { return }
        isOver = true
        self.isRunning = false
        self.runNext()
      }
    }
    isInLoop = false
  }
}
