import Measurement
import Store

/// Which part of a growing list is in view: its end, or a place that stays while rows are added behind it.
enum ListPosition: Sendable, Hashable {
  case end
  /// The entry in the last visible row.
  case at(RecordPlace)

  /// Which entries are visible: at most `rows` of them, ending where the position says.
  /// - Parameter places: of all entries, ascending.
  func visible(in places: some RandomAccessCollection<RecordPlace>, rows: Int) -> Range<Int> {
    let end: Int
    switch self {
    case .end:
      end = places.count
    case .at(let place):
      // The entry may have left the list at its far end: then the list begins at the top.
      let index = places.firstIndexInOrder(notBelow: place)
      end = min(places.count, max(index + 1, rows))
    }
    return max(0, end - max(0, rows))..<end
  }

  /// The position after moving by `count` rows, down when positive. At the end it follows again.
  func moved(
    by count: Int, in places: some RandomAccessCollection<RecordPlace>, rows: Int
  ) -> ListPosition {
    let end = visible(in: places, rows: rows).upperBound + count
    if end >= places.count { return .end }
    let last = max(min(rows, places.count), end) - 1
    guard last >= 0, last < places.count - 1 else { return .end }
    return .at(places[places.index(places.startIndex, offsetBy: last)])
  }
}

extension RandomAccessCollection where Element: Comparable {
  /// Offset of the first element that is at least `bound`, in an ascending collection.
  func firstIndexInOrder(notBelow bound: Element) -> Int {
    distance(from: startIndex, to: partitioningIndex { $0 >= bound })
  }
}

/// The choice and the scroll position in a table.
struct RowPosition<ID: Hashable & Sendable>: Sendable, Equatable {
  /// The row that keys act on; `nil` is the first.
  var chosen: ID?
  /// The first row in view, as far as the chosen one allows.
  private(set) var top = 0

  init(chosen: ID? = nil) { self.chosen = chosen }

  /// Index of the chosen row.
  func place(in ids: [ID]) -> Int { chosen.flatMap { ids.firstIndex(of: $0) } ?? 0 }

  /// Moves the choice by some rows and keeps it in view.
  mutating func move(by count: Int, in ids: [ID], rows: Int) {
    guard !ids.isEmpty else { return }
    chosen = ids[min(max(place(in: ids) + count, 0), ids.count - 1)]
    top = visible(in: ids, rows: rows).lowerBound
  }

  /// Chooses a row in view.
  /// - Parameter row: counted from the first one in view.
  /// - Returns: whether it was the chosen one already.
  mutating func click(row: Int, in ids: [ID], rows: Int) -> Bool {
    let visible = visible(in: ids, rows: rows)
    let place = visible.lowerBound + row
    guard visible.contains(place) else { return false }
    defer { chosen = ids[place] }
    return self.place(in: ids) == place
  }

  /// The rows in view.
  func visible(in ids: [ID], rows: Int) -> Range<Int> {
    let rows = max(0, rows)
    let place = place(in: ids)
    let start = max(0, min(max(min(top, place), place - rows + 1), ids.count - rows))
    return start..<min(ids.count, start + rows)
  }
}

/// Choice, marks and scroll position in the list of runs.
struct RunsPosition: Sendable, Equatable {
  private var rows = RowPosition<RunID>()
  /// Marked for comparison in this order; two at most.
  var marked: [RunID] = []

  /// The run that keys act on; `nil` is the newest.
  var chosen: RunID? {
    get { rows.chosen }
    set { rows.chosen = newValue }
  }

  /// The first row in view, as far as the chosen one allows.
  var top: Int { rows.top }

  /// Index of the chosen run.
  func place(in runs: [RunEntry]) -> Int { rows.place(in: runs.map(\.id)) }

  /// Moves the choice by some rows and keeps it in view.
  mutating func move(by count: Int, in runs: [RunEntry], rows: Int) {
    self.rows.move(by: count, in: runs.map(\.id), rows: rows)
  }

  /// The rows in view.
  func visible(in runs: [RunEntry], rows: Int) -> Range<Int> {
    self.rows.visible(in: runs.map(\.id), rows: rows)
  }

  /// Marks a run, or removes its mark; a third mark replaces the first.
  mutating func toggleMark(_ id: RunID) {
    if let index = marked.firstIndex(of: id) {
      marked.remove(at: index)
    } else {
      if marked.count == 2 { marked.removeFirst() }
      marked.append(id)
    }
  }
}
