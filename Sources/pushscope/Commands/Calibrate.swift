import ArgumentParser
import Collector
import Configuration
import Formats
import Logging
import Measurement
import Report
import Store
import Threads

struct Calibrate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure the latency that pushscope itself adds on this host, and store it for later runs.",
    discussion: """
      Sends to a loopback service on this machine, which answers and delivers at once. The result is the latency of \
      pushscope, the kernel and TLS at both ends; later runs show it as their floor. It takes the store's lock, because a \
      collector running at the same time would change the result.

      Example: pushscope calibrate --rate 200/s --duration 20s
      """)

  @Option(
    help: ArgumentHelp("Notifications per time, like 200/s (the default).", valueName: "rate"),
    transform: RateArgument.parse)
  var rate: RateArgument?

  @Option(
    help: ArgumentHelp(
      "How long to measure, 20s by default. p99.9 needs 3688 notifications.", valueName: "duration"),
    transform: DurationArgument.parse)
  var duration: DurationArgument?

  @Flag(help: "Print one JSON object instead of a table.")
  var json = false

  @OptionGroup var store: StoreOption

  private var length: Duration { duration?.duration ?? .seconds(20) }

  func validate() throws {
    guard length >= .milliseconds(100), length <= .seconds(3600) else {
      throw ValidationError("--duration must be 100ms to 1h")
    }
  }

  func run() async throws {
    let host = HostName.current()
    let kept = try CollectorStore.open(
      at: store.path(for: .writing), clock: SystemClock(),
      options: CollectorStoreOptions(bootID: BootID.current() ?? host, access: .kept))
    defer { kept.close() }
    let environment = try DemoEnvironment()
    defer { environment.remove() }
    let rate = rate?.rate.perSecond ?? 200
    try await measure(environment, rate: rate)
    let reader = try StoreReader.open(at: environment.store)
    let report = try CalibrationReport(
      reader, host: host, at: SystemClock().wallNow(), rate: rate, length: length)
    reader.close()
    try kept.record(report.calibration)
    try ReportRun.write(lines: json ? [report.json.text] : report.lines)
  }

  /// Runs a collector with a store and a service of its own.
  private func measure(_ environment: DemoEnvironment, rate: Double) async throws {
    let loopback = try ChildProcess(
      name: "loopback service",
      arguments: [
        "loopback", "--port", "0", "--credentials", environment.credentials, "--scenario",
        try environment.writeScenario("answers: { delay: 0s }\ndeliveries: { delay: 0s }"),
        "--receipts", "https://127.0.0.1:\(environment.receiptsPort)",
      ], logFile: environment.log(of: "loopback"))
    defer { loopback.finish() }
    // The service has raised its own.
    DescriptorLimit.raise()
    try environment.writeConfiguration(
      endpoint: try loopback.firstLine(), rate: "\(rate)/s", arrivals: "constant")
    var logger = DaemonLog.logger("calibrate")
    logger.logLevel = .warning
    let service = CollectorService(
      configuration: try PushscopeConfiguration.load(
        path: environment.configuration, environment: ProcessEnvironment.all),
      options: CollectorOptions(storePath: environment.store, duration: length, drain: .zero), logger: logger)
    let progress = Task { await Self.printProgress(length) }
    defer { progress.cancel() }
    let end = try await StopRequest.watch(logger, stop: { service.stop() }) {
      try await service.run()
    }
    if end?.wasStopped != false { throw CommandFailure("stopped; no result was stored", exitStatus: .failed) }
  }

  /// Prints the progress at once and every five seconds.
  private static func printProgress(_ length: Duration) async {
    let seconds = length.wholeSeconds
    var passed: Int64 = 0
    while passed < seconds, !Task.isCancelled {
      StandardError.write("pushscope: calibrating, \(passed) of \(seconds) s")
      try? await Task.sleep(for: .seconds(5))
      passed += 5
    }
  }
}
