import ArgumentParser
import Configuration
import Formats
import Glibc
import Measurement
import Threads

/// The command line: one file per subcommand in Commands. It connects the rooms and has no logic of its own.
@main
struct Pushscope: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pushscope",
    abstract: "How long do push notifications take, when did it get worse, and is it us or the provider?",
    discussion: """
      A collector sends test notifications, times every step and writes the times to a store. A dashboard and reports read \
      the store.

      Try it on this machine:        pushscope demo
      Collect from a configuration:  pushscope collect --config pushscope.yaml
      Ask whether all is well:       pushscope status
      Watch a store live:            pushscope dashboard
      Export the samples:            pushscope export samples > samples.csv

      Exit codes: 0 success, 1 failed while running, 64 usage, 66 missing input, not a store, a newer or damaged store, \
      69 service unreachable or address in use, 73 cannot write, locked or in use, 78 invalid configuration, 98 a gate or \
      comparison is undecided, 99 one failed. \
      docs/commands.md explains them.
      """,
    version: "0.1.0",
    subcommands: [
      Collect.self, Status.self, DashboardCommand.self, ReportCommand.self, Export.self, Summary.self,
      Runs.self,
      Slowest.self, FindingsCommand.self, Compare.self, GateCommand.self, Annotate.self, StoreCommand.self,
      FleetCommand.self, Forward.self, Doctor.self,
      Calibrate.self,
      Invite.self, Devices.self, Loopback.self, Device.self, Demo.self, AnalystProcessCommand.self,
    ])

  static func main() async {
    ProcessSignals.ignoreStrays()
    var parsed: any ParsableCommand.Type = Self.self
    do {
      let arguments = ProcessArguments.all
      try checkName(arguments)
      var command = try parseAsRoot(joiningNegativeValues(arguments))
      parsed = type(of: command)
      let isGroup = !type(of: command).configuration.subcommands.isEmpty
      if isGroup { showOverview(of: type(of: command)) }
      // `>> FILE` would append to a database like to any other file.
      try OutputGuard.check(descriptor: STDOUT_FILENO, as: "the file that standard output goes to")
      try OutputGuard.check(descriptor: STDERR_FILENO, as: "the file that standard error goes to")
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      BackgroundOutput.finish()
    } catch {
      finish(with: error, of: parsed)
    }
  }

  /// Ends with the help of a command that needs a subcommand: an error for a script whose arguments were lost.
  private static func showOverview(of command: any ParsableCommand.Type) -> Never {
    StandardError.write(helpMessage(for: command))
    Glibc.exit(ExitStatus.usage.rawValue)
  }

  /// The parser takes a misspelled command for an argument and complains about the options behind it.
  private static func checkName(_ arguments: [String]) throws {
    let path = arguments.prefix { !$0.hasPrefix("-") }
    try path.first == "help" ? check(path.dropFirst(), isHelp: true) : check(path, isHelp: false)
  }

  /// - Parameter isHelp: `help` takes commands only, and the parser shows the help of those that it knows.
  private static func check(_ path: some Sequence<String>, isHelp: Bool) throws {
    var command: any ParsableCommand.Type = Pushscope.self
    var words = "pushscope"
    for name in path {
      let subcommands = command.configuration.subcommands
      if isHelp, command == Pushscope.self, name == "help" { return }
      guard let next = subcommands.first(where: { $0._commandName == name }) else {
        let isArgument = subcommands.isEmpty || command.configuration.defaultSubcommand != nil
        if isArgument, !isHelp { return }
        let listed = subcommands.filter { $0.configuration.shouldDisplay }
        throw unknown(name, among: listed.map { $0._commandName }, below: words)
      }
      command = next
      words += " \(name)"
    }
  }

  private static func unknown(_ name: String, among names: [String], below command: String) -> CommandFailure
  {
    let name = EscapedText.make(String(name.prefix(64)))
    guard !names.isEmpty else {
      return CommandFailure(
        "\(command) has no subcommands; see \(command) --help without \"\(name)\"", exitStatus: .usage)
    }
    let meant = NearestWord.suggestion(for: name, among: names).map { "did you mean \"\($0)\"? " } ?? ""
    return CommandFailure(
      "there is no command \"\(name)\"; \(meant)name one of \(names.joined(separator: ", ")); \(command) --help says what they do",
      exitStatus: .usage)
  }

  /// Turns `--since -1h` into `--since=-1h`. After any error in the arguments the parser looks for `-h` in every word that
  /// begins with a hyphen, and would show the help instead of the error.
  private static func joiningNegativeValues(_ arguments: [String]) -> [String] {
    var joined: [String] = []
    for argument in arguments {
      let isValue = argument.first == "-" && argument.dropFirst().first?.isNumber == true
      if isValue, let last = joined.last, last.hasPrefix("--"), last != "--", !last.contains("=") {
        joined[joined.count - 1] = "\(last)=\(argument)"
      } else {
        joined.append(argument)
      }
    }
    return joined
  }

  /// Prints the error as `pushscope: what, where, what to do` and exits with its code.
  ///
  /// - Parameter command: what was running.
  private static func finish(
    with error: any Error, of command: any ParsableCommand.Type = Self.self
  ) -> Never {
    let isParserError = exitCode(for: error) == .validationFailure || exitCode(for: error) == .success
    if isParserError || error is ExitCode {
      let text = error is ValidationError ? text(of: error, by: command) : fullMessage(for: error)
      if exitCode(for: error) == .success, !text.isEmpty {
        do throws(OutputError) { try StandardOutput.writeLine(text) } catch { finish(with: error) }
      } else if !text.isEmpty {
        StandardError.write(text.replacingPrefix("Error: ", with: "pushscope: "))
      }
      BackgroundOutput.finish()
      Glibc.exit(exitCode(for: error).rawValue)
    }
    let failure = CommandFailure(describing: error)
    if failure.exitStatus != .brokenPipe { StandardError.write("pushscope: \(failure.message)") }
    BackgroundOutput.finish()
    Glibc.exit(failure.exitStatus.rawValue)
  }

  /// An error that only the running command could find in its arguments. The parser does not know which command ran, and would show
  /// the usage of `pushscope`.
  private static func text(of error: any Error, by command: any ParsableCommand.Type) -> String {
    let words = path(to: command, below: Self.self) ?? _commandName
    return
      "Error: \(message(for: error))\nUsage: \(usageString(for: command))\n  See '\(words) --help' for more information."
  }

  /// The words that a command is called by, like `pushscope store prune`.
  private static func path(
    to command: any ParsableCommand.Type, below parent: any ParsableCommand.Type
  ) -> String? {
    if parent == command { return parent._commandName }
    return parent.configuration.subcommands.lazy.compactMap { path(to: command, below: $0) }.first.map {
      "\(parent._commandName) \($0)"
    }
  }
}
