import ArgumentParser
import Formats
import Foundation
import Measurement
import Report
import Store

struct Demo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "See it all on this machine: the loopback service, a collector and the dashboard at once.",
    discussion: """
      Real notifications travel over HTTP/2 and TLS between real processes; only the push service and its device are \
      ours, with delays as they happen out there. It uses a store and ports of its own.

      Example: pushscope demo --headless --duration 10s --output demo.csv
      """)

  @Flag(help: "No dashboard: run for --duration, then print the summary.")
  var headless = false

  @Option(help: ArgumentHelp("How long a headless demonstration runs.", valueName: "duration"))
  var duration: DurationArgument?

  @Option(help: ArgumentHelp("Headless: write the samples as CSV here.", valueName: "file"))
  var output: String?

  @Option(help: ArgumentHelp("How many notifications are planned: 20/s.", valueName: "rate"))
  var rate: RateArgument?

  func validate() throws {
    if !headless, output != nil || duration != nil {
      throw ValidationError("--duration and --output go with --headless")
    }
    try duration?.checkLength(as: "--duration")
  }

  func run() async throws {
    if !headless, isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0 {
      throw CommandFailure(
        "there is no terminal for the dashboard; run it in one, or give --headless", exitStatus: .usage)
    }
    if let output { try OutputGuard().check(output) }
    let station = try DemoEnvironment()
    let loopback = try ChildProcess(
      name: "loopback service",
      arguments: [
        "loopback", "--port", "0", "--credentials", station.credentials,
        "--receipts", "https://127.0.0.1:\(station.receiptsPort)",
      ], logFile: station.log(of: "loopback"))
    defer { loopback.finish() }
    let endpoint = try loopback.firstLine()
    try station.writeConfiguration(
      endpoint: endpoint, rate: rate.map { "\($0.rate.perSecond)/s" } ?? "20/s")
    if headless {
      try await runHeadless(station)
    } else {
      try await runDashboard(station)
    }
  }

  private func collector(_ station: DemoEnvironment, arguments: [String] = []) throws -> ChildProcess {
    try ChildProcess(
      name: "collector",
      arguments: [
        "collect", "--config", station.configuration, "--store", station.store, "--run-name", "demo",
        // Whoever leaves a demonstration does not wait for its last receipts.
        "--drain", "3s",
      ] + arguments, logFile: station.log(of: "collect"))
  }

  private func runDashboard(_ station: DemoEnvironment) async throws {
    let collector = try collector(station)
    let result = Result { try DashboardRun.open(store: station.store) }
    collector.finish()
    StandardError.write(
      """
      The demonstration's store is kept. Look again, or take the samples out:
        pushscope dashboard --store \(station.store)
        pushscope export samples --store \(station.store) | head
      """)
    try result.get()
  }

  private func runHeadless(_ station: DemoEnvironment) async throws {
    let length = duration?.duration ?? .seconds(10)
    let collector = try collector(
      station, arguments: ["--duration", "\(length.microseconds)us"])
    StandardError.write("collecting for \(length.microseconds / 1_000_000) s …")
    collector.waitUntilExit()
    guard collector.exitStatus == 0 else {
      throw CommandFailure(
        "the collector of the demonstration failed: \(collector.logTail)", exitStatus: .failed)
    }
    let reader = try StoreReader.open(at: station.store)
    try ReportRun.summary(of: RowSelection(), from: reader, asJSON: false)
    if let output {
      try ReportRun.export(.samples, of: RowSelection(), format: .csv, from: reader, to: output)
      StandardError.write("all samples are in \(output)")
    }
    station.remove()
  }
}
