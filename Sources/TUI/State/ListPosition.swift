import Measurement

/// Which part of a growing list is in view: its end, or a place that stays while rows are added behind it.
enum ListPosition: Sendable, Hashable {
  case end
  /// The entry in the last visible row, by the number the store gave it.
  case at(Int64)

  /// Which entries are visible: at most `rows` of them, ending where the position says.
  /// - Parameter numbers: of all entries, ascending.
  func visible(in numbers: some RandomAccessCollection<Int64>, rows: Int) -> Range<Int> {
    let end: Int
    switch self {
    case .end:
      end = numbers.count
    case .at(let number):
      // The entry may have left the list at its far end: then the list begins at the top.
      let place = numbers.firstIndexInOrder(notBelow: number)
      end = min(numbers.count, max(place + 1, rows))
    }
    return max(0, end - max(0, rows))..<end
  }

  /// The position after moving by `count` rows, down when positive. At the end it follows again.
  func moved(by count: Int, in numbers: some RandomAccessCollection<Int64>, rows: Int) -> ListPosition {
    let end = visible(in: numbers, rows: rows).upperBound + count
    if end >= numbers.count { return .end }
    let last = max(min(rows, numbers.count), end) - 1
    guard last >= 0, last < numbers.count - 1 else { return .end }
    return .at(numbers[numbers.index(numbers.startIndex, offsetBy: last)])
  }
}

extension RandomAccessCollection where Element == Int64 {
  /// Offset of the first element that is at least `bound`, in an ascending collection.
  func firstIndexInOrder(notBelow bound: Int64) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[index(startIndex, offsetBy: middle)] < bound { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Choice, marks and scroll position in the list of runs.
struct RunsPosition: Sendable, Equatable {
  /// The run that keys act on; `nil` is the newest.
  var chosen: RunID?
  /// Marked for comparison in this order; two at most.
  var marked: [RunID] = []
  /// The first row in view, as far as the chosen one allows.
  var top = 0

  /// Index of the chosen run.
  func place(in runs: [RunEntry]) -> Int { chosen.flatMap { id in runs.firstIndex { $0.id == id } } ?? 0 }

  /// Moves the choice by some rows and keeps it in view.
  mutating func move(by count: Int, in runs: [RunEntry], rows: Int) {
    guard !runs.isEmpty else { return }
    let place = min(max(place(in: runs) + count, 0), runs.count - 1)
    chosen = runs[place].id
    top = visible(in: runs, rows: rows).lowerBound
  }

  /// The rows in view.
  func visible(in runs: [RunEntry], rows: Int) -> Range<Int> {
    let rows = max(0, rows)
    let place = place(in: runs)
    let start = max(0, min(max(min(top, place), place - rows + 1), runs.count - rows))
    return start..<min(runs.count, start + rows)
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

/// Lists only the lines of log and events that contain all words, in any order and case.
struct ListFilter: Sendable, Equatable {
  /// As typed.
  let text: String
  private let words: [[UInt8]]

  /// - Returns: `nil` for no words at all.
  init?(_ text: String) {
    let words = text.split(separator: " ").map { $0.utf8.map(Self.folded) }
    if words.isEmpty { return nil }
    (self.text, self.words) = (text, words)
  }

  func matches(_ line: LogLine) -> Bool { matches([line.level.rawValue, line.label, line.message]) }

  /// - Parameter target: name of the event's target.
  func matches(_ event: Event, target: String) -> Bool {
    matches([target, event.kind.rawValue, event.detail, event.sequence.map(String.init) ?? ""])
  }

  private func matches(_ fields: [String]) -> Bool {
    words.allSatisfy { word in fields.contains { Self.contains(word, in: $0) } }
  }

  private static func contains(_ word: [UInt8], in text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      guard bytes.count >= word.count else { return false }
      return (0...bytes.count - word.count).contains { start in
        word.indices.allSatisfy { folded(bytes[start + $0]) == word[$0] }
      }
    }
  }

  /// Lower case for ASCII letters; other scripts are compared as they are.
  private static func folded(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
