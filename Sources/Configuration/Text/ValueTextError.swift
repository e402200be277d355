import Measurement

/// A text that is not a valid duration, rate, time, address or the like.
public struct ValueTextError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The text, escaped and shortened for messages.
  public let text: String
  /// What is wrong: a predicate whose subject is the text.
  public let problem: String
  public let remedy: String

  init(_ text: String, _ problem: String, remedy: String) {
    self.text = text.visibleText
    self.problem = problem
    self.remedy = remedy
  }

  public var message: String { "\"\(text)\" \(problem)" }

  public var description: String { "\(message); \(remedy)" }
}

extension String {
  /// At most 80 characters in one line, with control and bidirectional characters escaped, since messages reach terminals.
  var visibleText: String { visibleText(atMost: 80) }

  /// The same for a path, of which the end matters: at most 1024 characters.
  var visiblePath: String { visibleText(atMost: 1024) }

  private func visibleText(atMost limit: Int) -> String {
    let head = unicodeScalars.prefix(limit)
    let text = EscapedText.make(String(String.UnicodeScalarView(head)))
    return head.endIndex < unicodeScalars.endIndex ? text + "…" : text
  }

  /// ``visibleText`` in double quotes.
  var quoted: String { "\"\(visibleText)\"" }
}

/// Suggests corrections of typing mistakes.
enum NearestWord {
  /// The first candidate with the fewest edits from `word`, up to a third of its letters, at least one.
  static func suggestion(for word: String, among candidates: [String]) -> String? {
    let typed = Array(word.lowercased().unicodeScalars.prefix(64))
    let limit = max(1, typed.count / 3)
    var best: (word: String, distance: Int)?
    for candidate in candidates {
      let distance = edits(from: typed, to: Array(candidate.lowercased().unicodeScalars))
      if distance <= limit, distance < (best?.distance ?? .max) { best = (candidate, distance) }
    }
    return best?.word
  }

  /// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbors.
  static func edits(from a: [Unicode.Scalar], to b: [Unicode.Scalar]) -> Int {
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1] + [Int](repeating: 0, count: b.count)
      for j in b.indices {
        let substitution = last[j] + (a[i] == b[j] ? 0 : 1)
        row[j + 1] = min(last[j + 1] + 1, row[j] + 1, substitution)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          row[j + 1] = min(row[j + 1], beforeLast[j - 1] + 1)
        }
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }

  /// Remedy for `word` where one of `candidates` is valid.
  static func remedy(for word: String, among candidates: [String], noun: String) -> String {
    let list = "\(noun): " + candidates.joined(separator: ", ")
    guard let suggestion = suggestion(for: word, among: candidates) else { return list }
    return "did you mean \"\(suggestion)\"? (\(list))"
  }
}
