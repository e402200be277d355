import ArgumentParser
import Collector
import Configuration
import Formats
import Foundation
import Measurement
import Report
import Store

struct Demo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run the loopback service, a collector and the dashboard together on this machine.",
    discussion: """
      Notifications travel over HTTP/2 and TLS between processes. The push service and its device are simulated, with \
      realistic delays. After 90 s, and again each 10 min, deliveries are slow for a minute: see what is found. It uses a \
      store and ports of its own.

      With --browser a browser on this host can join as a device, by its real push service: the demonstration prints a URL to be \
      opened in it, and opens nothing itself.

      Example: pushscope demo --headless --duration 10s --output demo.csv
      """)

  @Flag(help: "Run for --duration without a dashboard, then print the summary.")
  var headless = false

  @Option(
    help: ArgumentHelp("With --headless: how long to run.", valueName: "duration"),
    transform: DurationArgument.parse)
  var duration: DurationArgument?

  @Option(help: ArgumentHelp("With --headless: write the samples to this file as CSV.", valueName: "file"))
  var output: String?

  @Flag(help: "Print an invitation for a browser on this host before the dashboard opens.")
  var browser = false

  @Option(
    help: ArgumentHelp("Notifications per time, like 20/s.", valueName: "rate"),
    transform: RateArgument.parse)
  var rate: RateArgument?

  func validate() throws {
    if !headless, output != nil || duration != nil {
      throw ValidationError("--duration and --output need --headless")
    }
    if headless, browser {
      throw ValidationError("--browser is for the dashboard: a run with --duration takes no invitations")
    }
    try duration?.checkLength(as: "--duration")
  }

  func run() async throws {
    if !headless, isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0 {
      throw CommandFailure(
        "there is no terminal for the dashboard; run it in one, or give --headless", exitStatus: .usage)
    }
    if let output, output != "-" { try AtomicFile.check(output) }
    let environment = try DemoEnvironment()
    let loopback = try ChildProcess(
      name: "loopback service",
      arguments: [
        "loopback", "--port", "0", "--credentials", environment.credentials,
        "--receipts", "https://127.0.0.1:\(environment.receiptsPort)", "--demonstration",
      ], logFile: environment.log(of: "loopback"))
    defer { loopback.finish() }
    let endpoint = try loopback.firstLine()
    try environment.writeConfiguration(
      endpoint: endpoint, rate: rate.map { "\($0.rate.perSecond)/s" } ?? "20/s", withDevices: browser)
    if headless {
      try await runHeadless(environment)
    } else {
      try await runDashboard(environment)
    }
  }

  private func collector(_ environment: DemoEnvironment, arguments: [String] = []) throws -> ChildProcess {
    try ChildProcess(
      name: "collector",
      arguments: [
        "collect", "--config", environment.configuration, "--store", environment.store, "--run-name", "demo",
        // Leaving the demonstration does not wait for its last receipts.
        "--drain", "3s",
      ] + arguments, logFile: environment.log(of: "collect"))
  }

  private func runDashboard(_ environment: DemoEnvironment) async throws {
    let collector = try collector(environment)
    if browser {
      do {
        try invite(environment, collector)
      } catch {
        collector.finish()
        throw error
      }
    }
    let result = Result { try DashboardRun().open(store: environment.store) }
    collector.finish()
    // As it was called, since a program that was only built is on no PATH.
    let program = CommandLine.arguments.first ?? "pushscope"
    StandardError.write(
      """
      The demonstration's store is kept. To look at it again, or to export the samples:
        \(program) dashboard --store \(environment.store)
        \(program) export samples --store \(environment.store) | head
      """)
    try result.get()
  }

  /// How long the collector may take until its store is there, in seconds.
  private static let startLimit = 10.0

  /// Prints an invitation, and waits for Return: the dashboard takes the whole screen.
  private func invite(_ environment: DemoEnvironment, _ collector: ChildProcess) throws {
    let began = ProcessInfo.processInfo.systemUptime
    while (try? StoreReader.open(at: environment.store).latestRun()) == nil {
      guard collector.isRunning, ProcessInfo.processInfo.systemUptime - began < Self.startLimit else {
        throw CommandFailure(
          "the collector of the demonstration did not start: \(collector.logTail)", exitStatus: .failed)
      }
      Thread.sleep(forTimeInterval: 0.05)
    }
    let configuration = try PushscopeConfiguration.load(
      path: environment.configuration, environment: ProcessEnvironment.all)
    let invitation = try IssuedInvitation.issue(
      for: "my-browser", at: .of(configuration, local: true), store: environment.store, length: .seconds(3600)
    )
    StandardError.write(
      """
      open this in a browser on this host, within an hour, to have it measured too:
      \(invitation.url)
      Return opens the dashboard.
      """)
    _ = readLine()
  }

  private func runHeadless(_ environment: DemoEnvironment) async throws {
    let length = duration?.duration ?? .seconds(10)
    let collector = try collector(
      environment, arguments: ["--duration", "\(length.microseconds)us"])
    StandardError.write("collecting for \(LengthText.text(length)) …")
    collector.waitUntilExit()
    guard collector.exitStatus == 0 else {
      throw CommandFailure(
        "the collector of the demonstration failed: \(collector.logTail)", exitStatus: .failed)
    }
    let reader = try StoreReader.open(at: environment.store)
    try ReportRun.summary(of: RowSelection(), from: reader, asJSON: false)
    if let output {
      try ReportRun.export(
        .samples,
        of: ReportSource(reader: reader, selection: .everything, path: environment.store), format: .csv,
        to: output)
      StandardError.write("all samples are in \(output)")
    }
    environment.remove()
  }
}
