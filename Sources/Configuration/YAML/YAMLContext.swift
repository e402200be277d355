import Measurement

/// What all values of one file share: its name, where its relative paths start, the environment, and the list of
/// mistakes found so far. Used by one decoding call, on one thread.
final class YAMLContext {
  let file: String
  let directory: String
  let environment: [String: String]
  private(set) var problems: [ConfigurationProblem] = []

  /// A file with more mistakes than this is of another kind; the rest is not worth reading.
  static let maximumProblems = 50

  init(file: String, directory: String, environment: [String: String]) {
    self.file = EscapedText.make(file)
    self.directory = directory
    self.environment = environment
  }

  func add(_ problem: ConfigurationProblem) {
    guard problems.count < Self.maximumProblems, !problems.contains(problem) else { return }
    problems.append(problem)
  }

  /// An absolute path as it is; any other from the file's directory.
  func resolve(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    var rest = Substring(path)
    while rest.hasPrefix("./") { rest = rest.dropFirst(2) }
    return directory.hasSuffix("/") ? directory + rest : "\(directory)/\(rest)"
  }
}
