/// Python, for checks against code that shares nothing with this project.
public enum Python {
  /// Whether tests that need Python run.
  public static let isUsable = Programs.has(Programs.python)

  /// Whether tests that need Python packages run.
  /// - Parameter packages: names of modules, separated by commas.
  public static func has(_ packages: String) -> Bool {
    Programs.isContinuousIntegration || (try? run("import \(packages)")) != nil
  }

  /// Runs a script to its end.
  /// - Parameters:
  ///   - input: if given, written to a file whose path is `sys.argv[1]`.
  ///   - arguments: the arguments that follow.
  /// - Returns: its standard output.
  /// - Throws: ``NeverHappened`` with its standard error when it exits with another status than 0.
  public static func run(
    _ script: String, input: [UInt8]? = nil, arguments: [String] = []
  ) throws -> String {
    let directory = try input.map { _ in try TemporaryDirectory("python") }
    var arguments = arguments
    if let input, let directory { arguments.insert(try directory.write("input", input), at: 0) }
    let outcome = try Programs.run(Programs.python, ["-X", "utf8", "-c", script] + arguments)
    guard outcome.status == 0 else { throw NeverHappened(what: "python3 succeeds", seen: outcome.error) }
    return outcome.output
  }

  /// Starts a script that runs until it is killed; its standard input stays open.
  /// - Parameter arguments: `sys.argv[1]` and the following.
  public static func start(_ script: String, arguments: [String]) throws -> RunningProcess {
    try RunningProcess(Programs.python, ["-X", "utf8", "-c", script] + arguments, input: .open)
  }
}
