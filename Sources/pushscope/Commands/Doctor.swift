import Analysis
import ArgumentParser
import Collector
import Configuration
import Formats
import Glibc
import Measurement
import Store
import Terminal
import Threads

struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check configuration, credentials, connections to the providers, clock, store and terminal.",
    discussion: """
      Prints one line per check: ok, note or fail, the subject, the result, and what to do. It connects without sending, \
      and looks in the store whether devices fail to report to the newest run. \
      With --send each target gets one notification, which FCM only validates. With --send 1 it is sent as the collector does, and \
      really delivered; a table without secrets says what became of it.

      Exit codes: 0 no check failed, 78 something on this machine must be fixed, 69 a provider cannot be reached or refuses \
      the notification.

      Example: pushscope doctor --config pushscope.yaml --target ios --send 1
      """)

  @OptionGroup var configurationFile: ConfigurationOption
  @OptionGroup var store: StoreOption

  @Option(
    name: .customLong("target"), help: ArgumentHelp("Check this target only (repeatable).", valueName: "name")
  )
  var targets: [String] = []

  @Flag(help: "Send one notification to each target.")
  var send = false

  @Argument(
    help: ArgumentHelp(
      "With --send: how many notifications, 1 to 10, as the collector sends them.", valueName: "n"))
  var number: Int?

  func validate() throws {
    guard let number else { return }
    guard send else {
      throw ValidationError("\(number): give --send \(number) to send so many notifications")
    }
    guard (1...10).contains(number) else {
      throw ValidationError("--send \(number): give a number from 1 to 10")
    }
  }

  func run() async throws {
    // The receipt listener is tried with an event loop, and each target with a connection.
    try DescriptorLimit.require(32, for: "doctor")
    let file = try PushscopeConfiguration.load(
      path: configurationFile.path(), environment: ProcessEnvironment.all, checksOnly: true)
    // What is wrong with the devices' directory is reported below.
    let configuration =
      (try? store.path(for: .writing)).flatMap { try? EffectiveConfiguration.make(file, store: $0) } ?? file
    let chosen = try chosenTargets(of: configuration)
    var worst = ExitStatus?.none
    var unwritten: OutputError?
    func report(_ finding: DoctorFinding) {
      do throws(OutputError) {
        try StandardOutput.writeLine(EscapedText.make(finding.description))
      } catch {
        unwritten = unwritten ?? error
      }
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
    for finding in LibraryDoctor.ofThisProcess().findings { report(finding) }
    report(StoreCheck.finding { () throws(CommandFailure) in try store.path(for: .writing) })
    report(TerminalCheck.finding(environment: ProcessEnvironment.all))
    for finding in HostDoctor.certificates(configuration, clock) { report(finding) }
    if let receipts = configuration.collector.receipts, !receipts.keyFile.isUnread,
      !receipts.secretFile.isUnread
    {
      report(await HostDoctor.listener(receipts))
    }
    if let path = try? store.path(for: .writing) {
      for finding in Self.recorded(configuration, of: chosen, in: path, clock) { report(finding) }
    }
    for finding in ScheduleDoctor.findings(of: chosen, objectives: configuration.objectives) {
      report(finding)
    }
    let unread = Set(chosen.flatMap(\.unreadCredentials))
    for name in configuration.unreadCredentials where unread.contains(name) || targets.isEmpty {
      report(
        DoctorFinding(
          .note, "host", "credential:\(name)",
          "only the name was checked: the service manager gives the file to the unit alone",
          remedy: "see that the unit has LoadCredential=\(name):/path/of/the/file"))
    }
    for target in chosen where target.unreadCredentials.isEmpty {
      TargetDoctor(target, clock: clock, sends: send && number == nil).examine(report)
    }
    if let unwritten { throw unwritten }
    if let number { try await tryOut(configuration, chosen, number) }
    if let worst { throw ExitCode(worst.rawValue) }
  }

  /// What the store and what is beside it say of devices and of the running collector. Trouble with the store is another finding.
  private static func recorded(
    _ configuration: PushscopeConfiguration, of chosen: [TargetConfiguration], in path: String,
    _ clock: SystemClock
  ) -> [DoctorFinding] {
    let devices = DeviceDoctor.findings(configuration, store: path, clock: clock)
    guard let reader = try? StoreReader.open(at: path) else { return devices }
    return devices + failedParts(reader) + ((try? ReceiptDoctor.findings(of: chosen, in: reader)) ?? [])
  }

  /// What of the running collector is switched off.
  private static func failedParts(_ reader: StoreReader) -> [DoctorFinding] {
    guard (try? reader.collector().isRunning) == true else { return [] }
    return ((try? reader.failedParts()) ?? []).map { failed in
      DoctorFinding(
        .note, "host", "collector", CollectorNotes.text(failed),
        remedy: CollectorNotes.remedy(failed))
    }
  }

  /// Sends for real, where all credentials are at hand.
  private func tryOut(_ configuration: PushscopeConfiguration, _ chosen: [TargetConfiguration], _ number: Int)
    async throws
  {
    let usable = chosen.filter { $0.unreadCredentials.isEmpty }.map(\.name)
    guard !usable.isEmpty else { return }
    try StandardOutput.writeLine("")
    for line in try await DoctorTrial(configuration: configuration, targets: usable, count: number).run() {
      try StandardOutput.writeLine(line)
    }
  }

  private func chosenTargets(of configuration: PushscopeConfiguration) throws -> [TargetConfiguration] {
    for name in targets where !configuration.targets.contains(where: { $0.name == name }) {
      let names = configuration.targets.map(\.name).joined(separator: ", ")
      throw CommandFailure(
        "\(configuration.file) has no target named \"\(EscapedText.make(name))\"; it has: \(names)",
        exitStatus: .usage)
    }
    return targets.isEmpty
      ? configuration.targets : configuration.targets.filter { targets.contains($0.name) }
  }
}

/// Checks that a collector can write to the store and a dashboard can read it.
enum StoreCheck {
  /// - Parameter path: throws ``CommandFailure`` without a file name and a home directory.
  static func finding(path: () throws(CommandFailure) -> String) -> DoctorFinding {
    do throws(CommandFailure) {
      return finding(path: try path())
    } catch {
      return DoctorFinding(.misconfigured, "host", "store", error.message)
    }
  }

  private static func finding(path: String) -> DoctorFinding {
    do {
      let reader = try StoreReader.open(at: path)
      let runs = try reader.runs().count
      return DoctorFinding(.fine, "host", "store", "\(path) holds \(CountText.text(runs, "run"))")
    } catch let error as StoreError where error.code == .missing {
      return missing(path)
    } catch let error as StoreError {
      return DoctorFinding(.misconfigured, "host", "store", error.detail, remedy: error.remedy)
    } catch {
      return DoctorFinding(.misconfigured, "host", "store", "\(path): \(error)")
    }
  }

  /// The nearest existing parent directory must be writable; the collector creates the rest.
  private static func missing(_ path: String) -> DoctorFinding {
    var directory = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    var name = directory.joined(separator: "/")
    while !name.isEmpty, !DefaultPath.exists(name) {
      directory = directory.dropLast()
      name = directory.joined(separator: "/")
    }
    if name.isEmpty { name = path.hasPrefix("/") ? "/" : "." }
    guard access(name, W_OK | X_OK) == 0 else {
      return DoctorFinding(
        .misconfigured, "host", "store", "\(path) does not exist, and this user cannot write to \(name)",
        remedy: "name another file with --store, or give this user write access")
    }
    return DoctorFinding(.fine, "host", "store", "\(path) does not exist yet; collect creates it")
  }
}

/// Checks that the dashboard can draw on this terminal.
enum TerminalCheck {
  /// The least size for the dashboard.
  private static let columns = 60
  private static let rows = 16

  static func finding(environment: [String: String]) -> DoctorFinding {
    guard isatty(STDOUT_FILENO) == 1 else {
      return DoctorFinding(
        .note, "host", "terminal", "standard output is not a terminal; the dashboard would print plain lines")
    }
    let name = environment["TERM"] ?? ""
    guard !name.isEmpty, name != "dumb" else {
      return DoctorFinding(
        .note, "host", "terminal", "TERM is not set, or is \"dumb\"",
        remedy: "set it to the terminal's name, like xterm-256color, or use dashboard --plain")
    }
    guard let size = TerminalSize.columnsAndRows(of: STDOUT_FILENO) else {
      return DoctorFinding(.note, "host", "terminal", "\(name), of unknown size")
    }
    guard size.columns >= columns, size.rows >= rows else {
      return DoctorFinding(
        .note, "host", "terminal", "\(name), \(size.columns)×\(size.rows) is too small for the dashboard",
        remedy: "make it \(columns)×\(rows) at least")
    }
    let locale = environment["LC_ALL"] ?? environment["LC_CTYPE"] ?? environment["LANG"] ?? ""
    guard locale.lowercased().replacing("-", with: "").contains("utf8") else {
      return DoctorFinding(
        .note, "host", "terminal", "\(name), \(size.columns)×\(size.rows), but the locale is not UTF-8",
        remedy: "set LANG=C.UTF-8, or use dashboard --ascii")
    }
    return DoctorFinding(.fine, "host", "terminal", "\(name), \(size.columns)×\(size.rows), UTF-8")
  }
}
