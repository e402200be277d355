import Measurement

/// Where people are in the list of runs.
struct RunsPosition: Sendable, Equatable {
  /// The run that keys are about; `nil` is the newest.
  var chosen: RunID?
  /// Marked for comparison, the one marked first in front; two at most.
  var marked: [RunID] = []
  /// The first row in view, as far as the chosen one allows.
  var top = 0

  /// The place of the chosen run.
  func place(in runs: [RunEntry]) -> Int { chosen.flatMap { id in runs.firstIndex { $0.id == id } } ?? 0 }

  /// Moves on by some rows and keeps the chosen one in view.
  mutating func move(by count: Int, in runs: [RunEntry], rows: Int) {
    guard !runs.isEmpty else { return }
    let place = min(max(place(in: runs) + count, 0), runs.count - 1)
    chosen = runs[place].id
    top = visible(in: runs, rows: rows).lowerBound
  }

  /// Which rows are in view.
  func visible(in runs: [RunEntry], rows: Int) -> Range<Int> {
    let rows = max(0, rows)
    let place = place(in: runs)
    let start = max(0, min(max(min(top, place), place - rows + 1), runs.count - rows))
    return start..<min(runs.count, start + rows)
  }

  /// Marks a run or takes its mark away; a third mark takes the place of the first.
  mutating func toggleMark(_ id: RunID) {
    if let index = marked.firstIndex(of: id) {
      marked.remove(at: index)
    } else {
      if marked.count == 2 { marked.removeFirst() }
      marked.append(id)
    }
  }
}
