import ConstraintAnimation

/// Thins out a batch of events so that a flood costs one frame, without changing what it leads to.
enum EventCoalescer {
  /// Keeps the last of neighboring motions, the sum of neighboring wheel ticks in one place, the last size and
  /// one wake. Order is kept; presses and keys are never dropped.
  static func coalesce(_ events: [TerminalEvent]) -> [TerminalEvent] {
    var result: [TerminalEvent] = []
    result.reserveCapacity(events.count)
    let lastResize = events.lastIndex { if case .resize = $0 { true } else { false } }
    var hasWake = false
    for (index, event) in events.enumerated() {
      switch event {
      case .resize where index != lastResize: continue
      case .wake where hasWake: continue
      case .wake: hasWake = true
      default: break
      }
      if let last = result.last, let merged = merge(last, event) {
        result[result.count - 1] = merged
      } else {
        result.append(event)
      }
    }
    return result
  }

  private static func merge(_ first: TerminalEvent, _ second: TerminalEvent) -> TerminalEvent? {
    guard case .input(let first) = first, case .input(let second) = second,
      first.modifiers == second.modifiers
    else { return nil }
    switch (first.kind, second.kind) {
    case (.mouseMove, .mouseMove), (.mouseDrag, .mouseDrag):
      return .input(second)
    case (.wheel(let before), .wheel(let after)) where first.location == second.location:
      // Back and forth is not the same as nowhere: an owner may clamp at each step.
      guard (before > 0) == (after > 0) else { return nil }
      var sum = second
      sum.kind = .wheel(ticks: before + after)
      return .input(sum)
    default:
      return nil
    }
  }
}
