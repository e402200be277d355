/// `${NAME}` in a text stands for the environment variable, so that secrets need not be written down; `$${` stands
/// for `${` itself.
enum EnvironmentReferences {
  enum Failure: Error, Equatable {
    case unset(name: String)
    case malformed
  }

  /// The text with all references replaced, and whether there were any: then it must not be quoted to anyone.
  static func expand(
    _ text: String, environment: [String: String]
  ) throws(Failure) -> (text: String, isExpanded: Bool) {
    guard text.contains("${") else { return (text, false) }
    var result = ""
    var isExpanded = false
    var rest = text[...]
    while let dollar = rest.firstIndex(of: "$") {
      result += rest[..<dollar]
      let after = rest[rest.index(after: dollar)...]
      if after.hasPrefix("${") {
        result += "${"
        rest = after.dropFirst(2)
      } else if after.hasPrefix("{") {
        guard let end = after.firstIndex(of: "}") else { throw .malformed }
        let name = String(after[after.index(after: after.startIndex)..<end])
        guard isName(name) else { throw .malformed }
        guard let value = environment[name] else { throw .unset(name: name) }
        result += value
        isExpanded = true
        rest = after[after.index(after: end)...]
      } else {
        result += "$"
        rest = after
      }
    }
    return (result + rest, isExpanded)
  }

  /// What the references in a text stand for.
  static func values(in text: String, environment: [String: String]) -> [String] {
    guard text.contains("${") else { return [] }
    // Those of `$${NAME}` stand for nothing; taking them along hides too much rather than too little.
    return text.split(separator: "${", omittingEmptySubsequences: false).dropFirst().compactMap { part in
      part.firstIndex(of: "}").flatMap { environment[String(part[..<$0])] }
    }
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(48...57).contains(first) else { return false }
    return text.utf8.allSatisfy {
      (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 95
    }
  }
}
