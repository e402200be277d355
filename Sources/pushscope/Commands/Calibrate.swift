import ArgumentParser
import Collector
import Configuration
import Formats
import Logging
import Measurement
import Report
import Store

struct Calibrate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure what pushscope itself adds on this host, and keep it for later runs to refer to.",
    discussion: """
      Sends to the loopback service on this machine, which answers and delivers at once: what is measured then is \
      pushscope, the kernel and TLS at both ends. Runs that begin later show it as their floor. It takes the store's \
      lock, because a collector at work beside it would be measured too.

      Example: pushscope calibrate --rate 200/s --duration 20s
      """)

  @Option(help: ArgumentHelp("How many notifications are planned.", valueName: "rate"))
  var rate: RateArgument?

  @Option(help: ArgumentHelp("How long it measures: p99.9 takes 3688 notifications.", valueName: "duration"))
  var duration: DurationArgument?

  @Flag(help: "One JSON object instead of a table.")
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
      options: CollectorStoreOptions(bootID: BootID.current() ?? host))
    defer { kept.close() }
    let station = try DemoEnvironment()
    defer { station.remove() }
    let rate = rate?.rate.perSecond ?? 200
    try await measure(station, rate: rate)
    let reader = try StoreReader.open(at: station.store)
    let report = try CalibrationReport(
      reader, host: host, at: SystemClock().wallNow(), rate: rate, length: length.microseconds)
    reader.close()
    try kept.record(report.calibration)
    try ReportRun.write(lines: json ? [report.json.text] : report.lines)
  }

  /// Runs a collector on a store of its own against a service of its own.
  private func measure(_ station: DemoEnvironment, rate: Double) async throws {
    let loopback = try ChildProcess(
      name: "loopback service",
      arguments: [
        "loopback", "--port", "0", "--credentials", station.credentials, "--scenario",
        try station.writeScenario("answers: { delay: 0s }\ndeliveries: { delay: 0s }"),
        "--receipts", "https://127.0.0.1:\(station.receiptsPort)",
      ], logFile: station.log(of: "loopback"))
    defer { loopback.finish() }
    try station.writeConfiguration(
      endpoint: try loopback.firstLine(), rate: "\(rate)/s", arrivals: "constant")
    var logger = DaemonLog.logger("calibrate")
    logger.logLevel = .warning
    let service = CollectorService(
      configuration: try PushscopeConfiguration.load(
        path: station.configuration, environment: ProcessEnvironment.all),
      options: CollectorOptions(storePath: station.store, duration: length, drain: .zero), logger: logger)
    let progress = Task { await Self.tell(length) }
    defer { progress.cancel() }
    let end = try await StopRequest.watch(untilInputEnds: false, stop: { service.stop() }) {
      try await service.run()
    }
    if end?.wasStopped != false { throw CommandFailure("stopped; nothing was kept", exitStatus: .failed) }
  }

  /// A line at once and every five seconds, for whoever waits.
  private static func tell(_ length: Duration) async {
    let seconds = (length.microseconds + 999_999) / 1_000_000
    var passed: Int64 = 0
    while passed < seconds, !Task.isCancelled {
      StandardError.write("pushscope: calibrating, \(passed) of \(seconds) s")
      try? await Task.sleep(for: .seconds(5))
      passed += 5
    }
  }
}
