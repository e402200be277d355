/// Finds the word that was probably meant.
enum NearestWord {
  /// The candidate with the fewest edits from `word`, if that is few enough for a typing mistake: a third of the
  /// letters, at least one. The first of equals wins.
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

  /// What to tell someone who wrote `word` where one of `candidates` is wanted.
  static func remedy(for word: String, among candidates: [String], noun: String) -> String {
    let list = "\(noun): " + candidates.joined(separator: ", ")
    guard let suggestion = suggestion(for: word, among: candidates) else { return list }
    return "did you mean \"\(suggestion)\"? (\(list))"
  }
}
