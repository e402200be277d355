import ArgumentParser
import Formats
import Glibc

/// The command line: one file a subcommand under Commands/. It wires the rooms together and decides nothing.
@main
struct Pushscope: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pushscope",
    abstract: "How long do push notifications take, when did it get worse, and is it us or the provider?",
    discussion: """
      A collector sends test notifications and times every step into a store; a dashboard and reports read it.

      See it on this machine:      pushscope demo
      Collect from a configuration: pushscope collect --config pushscope.yaml
      Look at it live:             pushscope dashboard
      Take the samples out:        pushscope export samples --since -1h > samples.csv

      Exit codes: 0 fine, 1 failed while running, 64 usage, 66 no such input, not a store, a newer or damaged store, \
      69 service unreachable or address in use, 73 cannot write, locked or in use, 78 bad configuration. \
      docs/commands.md has them in one table.
      """,
    version: "0.1.0",
    subcommands: [
      Collect.self, DashboardCommand.self, Export.self, Summary.self, Runs.self, Doctor.self, Calibrate.self,
      Loopback.self, Device.self, Demo.self,
    ])

  static func main() async {
    ProcessSignals.ignoreStrays()
    do {
      var command = try parseAsRoot(joiningNegativeValues(Array(CommandLine.arguments.dropFirst())))
      // `>> FILE` would append to a database as to any other file.
      try OutputGuard.check(descriptor: STDOUT_FILENO, as: "the file that standard output goes to")
      try OutputGuard.check(descriptor: STDERR_FILENO, as: "the file that standard error goes to")
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      finish(with: error)
    }
  }

  /// `--since -1h` as `--since=-1h`: after a mistake anywhere in the line the parser looks for `-h` in every word that begins
  /// with a hyphen, and would show the help in place of the mistake.
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

  /// Says what went wrong as `pushscope: what, where, what to do` and exits with the code that scripts rely on.
  private static func finish(with error: any Error) -> Never {
    let isParserError = exitCode(for: error) == .validationFailure || exitCode(for: error) == .success
    if isParserError || error is ExitCode {
      let text = fullMessage(for: error)
      if exitCode(for: error) == .success {
        if !text.isEmpty { print(text) }
      } else if !text.isEmpty {
        StandardError.write(text.replacingPrefix("Error: ", with: "pushscope: "))
      }
      Glibc.exit(exitCode(for: error).rawValue)
    }
    let failure = CommandFailure(describing: error)
    if failure.exitStatus != .brokenPipe { StandardError.write("pushscope: \(failure.message)") }
    Glibc.exit(failure.exitStatus.rawValue)
  }
}
