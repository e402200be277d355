import Yams

/// Turns text into Yams' tree, and its errors into ours.
enum YAMLSyntax {
  static func compose(_ text: String, file: String) throws(ConfigurationError) -> Node? {
    do {
      // The basic resolver leaves scalars as the text they are: which type is wanted, the reader knows.
      return try Yams.compose(yaml: text, .basic, .default, .utf8)
    } catch let error as YamlError {
      throw ConfigurationError(code: .syntax, problems: [problem(error, file: file, text: text)])
    } catch {
      throw ConfigurationError(code: .syntax, file: file, message: "the file is not YAML", remedy: remedy)
    }
  }

  private static let remedy = "check indentation (spaces, no tabs), colons, quotes and brackets"

  private static func problem(_ error: YamlError, file: String, text: String) -> ConfigurationProblem {
    func notYAML(_ what: String, _ line: Int?, _ column: Int?) -> ConfigurationProblem {
      ConfigurationProblem(
        place: FilePosition(file: file, line: line, column: column), message: "not YAML: \(what)".visibleText,
        remedy: remedy)
    }
    switch error {
    case .scanner(let context, let what, let mark, _), .parser(let context, let what, let mark, _),
      .composer(let context, let what, let mark, _):
      let preamble = context.map { "\($0.text) (line \($0.mark.line)), " } ?? ""
      return notYAML(preamble + what, mark.line, mark.column)
    case .reader(let what, let offset, _, _):
      let found = offset.map { place(at: $0, in: text) }
      return notYAML(what, found?.line, found?.column)
    case .duplicatedKeysInMapping(let names, let context):
      let name = names.first ?? ""
      let first = (line: context.mark.line, column: context.mark.column)
      let again = secondPlace(of: name, after: first, in: text)
      return ConfigurationProblem(
        place: FilePosition(
          file: file, line: again?.line ?? first.line, column: again?.column ?? first.column),
        key: name.visibleText,
        message: "the key is given twice" + (again == nil ? "" : " (first on line \(first.line))"),
        remedy: "keep one of them")
    default:
      return notYAML("it cannot be read", nil, nil)
    }
  }

  /// Line and column of the character `offset` characters into the text.
  private static func place(at offset: Int, in text: String) -> (line: Int, column: Int) {
    var line = 1
    var column = 1
    for character in text.prefix(offset) {
      if character.isNewline {
        line += 1
        column = 1
      } else {
        column += character.unicodeScalars.count
      }
    }
    return (line, column)
  }

  /// Yams tells only where the key stands first. In block style the second one begins a later line at the same
  /// column, before any line that begins further left; `nil` when that is not how it is written.
  private static func secondPlace(
    of name: String, after first: (line: Int, column: Int), in text: String
  ) -> (line: Int, column: Int)? {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated().dropFirst(first.line) {
      let body = line.drop { $0 == " " }
      guard let start = body.first, start != "#" else { continue }
      let column = line.count - body.count + 1
      if column < first.column { return nil }
      guard column == first.column else { continue }
      if key(of: body) == name { return (index + 1, column) }
    }
    return nil
  }

  /// What stands before a line's colon, without quotes.
  private static func key(of line: Substring) -> Substring {
    func isAround(_ character: Character) -> Bool {
      character == " " || character == "\"" || character == "'"
    }
    let key = line.prefix { $0 != ":" }
    return key.lastIndex { !isAround($0) }.map { key[...$0].drop(while: isAround) } ?? ""
  }
}
