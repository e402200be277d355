import ArgumentParser
import Collector
import Configuration
import Formats
import Glibc
import Measurement

struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check configuration, credentials, the way to each provider, clock, store and terminal.",
    discussion: """
      Prints one line a check: ok, note or fail, what it is about, and what to do. It only connects; nothing is sent. \
      With --send each target gets one notification, which FCM is asked to validate only.

      Exit codes: 0 nothing fails, 78 something on this machine has to be put right, 69 a provider cannot be reached or \
      does not take what it is sent.

      Example: pushscope doctor --config pushscope.yaml --target ios --send
      """)

  @OptionGroup var configurationFile: ConfigurationOption
  @OptionGroup var store: StoreOption

  @Option(
    name: .customLong("target"), help: ArgumentHelp("Only this target (repeatable).", valueName: "name"))
  var targets: [String] = []

  @Flag(help: "Send one notification to each target.")
  var send = false

  func run() async throws {
    let configuration = try PushscopeConfiguration.load(
      path: configurationFile.path(), environment: ProcessEnvironment.all)
    let chosen = try chosenTargets(of: configuration)
    var worst = ExitStatus?.none
    func report(_ finding: DoctorFinding) {
      StandardOutput.writeLine(VisibleText.make(finding.description))
      switch finding.level {
      case .fine, .note: break
      case .misconfigured: worst = .configuration
      case .unreachable: worst = worst ?? .unavailable
      }
    }
    let count = configuration.targets.count
    report(
      DoctorFinding(
        .fine, "host", "config", "\(configuration.file) describes \(CountText.text(count, "target"))"))
    let clock = SystemClock()
    report(HostDoctor.clock(clock))
    report(StoreCheck.finding { () throws(CommandFailure) in try store.path(for: .writing) })
    report(TerminalCheck.finding(environment: ProcessEnvironment.all))
    if let receipts = configuration.collector.receipts { report(await HostDoctor.listener(receipts)) }
    for target in chosen { TargetDoctor(target, clock: clock, sends: send).examine(report) }
    if let worst { throw ExitCode(worst.rawValue) }
  }

  private func chosenTargets(of configuration: PushscopeConfiguration) throws -> [TargetConfiguration] {
    for name in targets where !configuration.targets.contains(where: { $0.name == name }) {
      let names = configuration.targets.map(\.name).joined(separator: ", ")
      throw CommandFailure(
        "\(configuration.file) has no target named \"\(VisibleText.make(name))\"; it has: \(names)",
        exitStatus: .usage)
    }
    return targets.isEmpty
      ? configuration.targets : configuration.targets.filter { targets.contains($0.name) }
  }
}
