import Measurement
import Yams

/// Decodes YAML files and reports all problems of a file at once.
public enum YAMLFile {
  /// Limit of the file size.
  public static let maximumBytes = 1024 * 1024

  /// Reads and decodes the file at `path`. Relative paths in it start at its directory.
  ///
  /// - Parameters:
  ///   - environment: variables for `${NAME}`, and `CREDENTIALS_DIRECTORY` for `credential:NAME`.
  ///   - acceptsUnreadCredentials: whether `credential:NAME` may stand where no service manager gives the file.
  ///   - decode: builds the result from the top value. It reports problems with ``YAMLValue/report(_:remedy:)``, as the
  ///     typed readers of ``YAMLValue`` and ``YAMLMapping`` do.
  /// - Throws: all problems, in file order.
  public static func load<Result>(
    path: String, environment: [String: String], acceptsUnreadCredentials: Bool = false,
    decode: (YAMLValue) -> Result?
  ) throws(ConfigurationError) -> Result {
    let bytes: [UInt8]
    do throws(FileReadError) {
      bytes = try ReadFile(path: path, maximumBytes: maximumBytes).bytes
    } catch {
      var remedy = error.remedy
      if error.code == .missing { remedy = "create it, or name another one" }
      throw ConfigurationError(
        code: error.code == .missing ? .missing : .unreadable, file: path,
        message: "the file \(error.problem)",
        remedy: remedy)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ConfigurationError(
        code: .syntax, file: path, message: "the file is not UTF-8 text", remedy: "save it as UTF-8")
    }
    let directory = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    return try parse(
      text, file: path, directory: directory, environment: environment,
      acceptsUnreadCredentials: acceptsUnreadCredentials, decode: decode)
  }

  /// Decodes a text; `file` is its name in problems.
  public static func parse<Result>(
    _ text: String, file: String, directory: String = ".", environment: [String: String] = [:],
    acceptsUnreadCredentials: Bool = false, decode: (YAMLValue) -> Result?
  ) throws(ConfigurationError) -> Result {
    let context = YAMLContext(
      file: file, directory: directory, environment: environment,
      acceptsUnreadCredentials: acceptsUnreadCredentials)
    guard let node = try YAMLSyntax.compose(text, file: context.file) else {
      throw ConfigurationError(
        code: .invalid, file: file, message: "the file has no content",
        remedy: "write at least the required keys")
    }
    let value = YAMLValue(node: node, path: "", keyMark: nil, context: context)
    let result = decode(value)
    if result == nil, context.problems.isEmpty {
      value.report("the file cannot be used", remedy: "compare it with the annotated example")
    }
    guard let result, context.problems.isEmpty else {
      throw ConfigurationError(code: .invalid, problems: inFileOrder(context.problems))
    }
    return result
  }

  private static func inFileOrder(_ problems: [ConfigurationProblem]) -> [ConfigurationProblem] {
    problems.enumerated().sorted { a, b in
      (a.element.place.line ?? 0, a.element.place.column ?? 0, a.offset)
        < (b.element.place.line ?? 0, b.element.place.column ?? 0, b.offset)
    }.map(\.element)
  }
}

/// What all values of a file share: its name, base directory, environment, and the problems found. Used by one decoding
/// call, on one thread.
final class YAMLContext {
  let file: String
  let directory: String
  let environment: [String: String]
  /// Whether `credential:NAME` may stand without a service manager that gives the file: for checks by hand.
  let acceptsUnreadCredentials: Bool
  private(set) var problems: [ConfigurationProblem] = []
  /// Names of credentials whose files were not read, in file order.
  private(set) var unreadCredentials: [String] = []

  /// Further problems are not recorded.
  static let maximumProblems = 50

  init(
    file: String, directory: String, environment: [String: String], acceptsUnreadCredentials: Bool = false
  ) {
    self.acceptsUnreadCredentials = acceptsUnreadCredentials
    self.file = EscapedText.make(file)
    self.directory = directory
    self.environment = environment
  }

  func add(_ problem: ConfigurationProblem) {
    guard problems.count < Self.maximumProblems, !problems.contains(problem) else { return }
    problems.append(problem)
  }

  func record(unreadCredential name: String) { unreadCredentials.append(name) }

  /// Resolves a path relative to the file's directory.
  func resolve(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    var rest = Substring(path)
    while rest.hasPrefix("./") { rest = rest.dropFirst(2) }
    return directory.hasSuffix("/") ? directory + rest : "\(directory)/\(rest)"
  }
}

/// Parses with Yams and converts its errors.
enum YAMLSyntax {
  static func compose(_ text: String, file: String) throws(ConfigurationError) -> Node? {
    do {
      // The basic resolver keeps scalars as text; the reader determines the type.
      return try Yams.compose(yaml: text, .basic, .default, .utf8)
    } catch let error as YamlError {
      throw ConfigurationError(code: .syntax, problems: [problem(error, file: file, text: text)])
    } catch {
      throw ConfigurationError(code: .syntax, file: file, message: "the file is not YAML", remedy: remedy)
    }
  }

  private static let remedy = "check indentation (spaces, no tabs), colons, quotes and brackets"
  /// Longer than any message of libyaml, in characters.
  private static let longestMessage = 240
  private static let addressRemedy = "write an IPv6 address in quotes, like '[::1]:8443'"

  private static func problem(_ error: YamlError, file: String, text: String) -> ConfigurationProblem {
    func notYAML(_ what: String, _ line: Int?, _ column: Int?) -> ConfigurationProblem {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      let source = line.flatMap { lines.dropFirst(max(0, $0 - 1)).first } ?? ""
      return ConfigurationProblem(
        place: FilePosition(file: file, line: line, column: column),
        message: "not YAML: \(what)".visibleText(atMost: longestMessage),
        remedy: source.contains("[") && source.contains("::") ? addressRemedy : remedy)
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

  /// Yams reports only the first occurrence of a duplicate key. In block style the second is on a later line at the same
  /// column, before any line that starts further left; `nil` in other styles.
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

  /// The text before a line's colon, without quotes.
  private static func key(of line: Substring) -> Substring {
    func isAround(_ character: Character) -> Bool {
      character == " " || character == "\"" || character == "'"
    }
    let key = line.prefix { $0 != ":" }
    return key.lastIndex { !isAround($0) }.map { key[...$0].drop(while: isAround) } ?? ""
  }
}
