import Yams

/// Reads a YAML file into values of our own, and says everything that is wrong with it at once.
public enum YAMLFile {
  /// Larger files are none of ours.
  public static let maximumBytes = 1024 * 1024

  /// Reads and decodes the file at `path`; its relative paths start at its directory.
  ///
  /// - Parameters:
  ///   - environment: where `${NAME}` in texts is looked up.
  ///   - decode: makes the result of the file's top value. Mistakes go to ``YAMLValue/report(_:remedy:)``, which the
  ///     typed readers of ``YAMLValue`` and ``YAMLMapping`` call themselves; after any, the result is thrown away.
  public static func load<Result>(
    path: String, environment: [String: String], decode: (YAMLValue) -> Result?
  ) throws(ConfigurationError) -> Result {
    let bytes: [UInt8]
    do throws(FileReadError) {
      bytes = try ReadFile(path: path, maximumBytes: maximumBytes).bytes
    } catch {
      var remedy = error.remedy
      if error.code == .missing { remedy = "create it, or name another one" }
      throw ConfigurationError(
        code: error.code == .missing ? .missing : .unreadable, file: path, message: error.message,
        remedy: remedy)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ConfigurationError(
        code: .syntax, file: path, message: "the file is not UTF-8 text", remedy: "save it as UTF-8")
    }
    let directory = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    return try parse(text, file: path, directory: directory, environment: environment, decode: decode)
  }

  /// Decodes text that is at hand; `file` is what problems call it.
  public static func parse<Result>(
    _ text: String, file: String, directory: String = ".", environment: [String: String] = [:],
    decode: (YAMLValue) -> Result?
  ) throws(ConfigurationError) -> Result {
    let context = YAMLContext(file: file, directory: directory, environment: environment)
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
