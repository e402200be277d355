import Measurement

/// Which rows of the lists speak of selected notifications.
struct SelectionMarks: Sendable {
  private let selection: Selection
  private let lifetimes: [TargetID: [ClosedRange<Int64>]]

  init(_ selection: Selection, in snapshot: Snapshot) {
    self.selection = selection
    lifetimes = selection.lifetimes(in: snapshot)
  }

  /// An event with a number is about that notification; one without is about what was under way.
  func contains(_ event: Event) -> Bool {
    if let sequence = event.sequence, let target = event.target {
      return selection.contains(sequence, of: target)
    }
    return isUnderWay(at: event.at, target: event.target)
  }

  func contains(_ line: LogLine) -> Bool { isUnderWay(at: line.at, target: line.target) }

  private func isUnderWay(at moment: WallTime, target: TargetID?) -> Bool {
    guard let target else { return lifetimes.keys.contains { isUnderWay(at: moment, target: $0) } }
    guard let stretches = lifetimes[target] else { return false }
    var low = 0
    var high = stretches.count
    while low < high {
      let middle = (low + high) / 2
      if stretches[middle].upperBound < moment.microseconds { low = middle + 1 } else { high = middle }
    }
    return low < stretches.count && stretches[low].contains(moment.microseconds)
  }
}
