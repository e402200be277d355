import ArgumentParser
import Configuration
import Formats
import HTTPServer
import Logging
import LoopbackService
import Measurement
import Threads

struct Device: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Simulate a remote device, which receives, exchanges clocks with the collector and posts receipts.",
    discussion: """
      It is a push endpoint like `loopback`, for targets with provider: loopback, but behaves like a device on another \
      host: its clock is wrong and drifts, and its network has a delay. It knows the collector only by --receipts. With \
      --script it writes when it really received each notification, to compare with what the collector computes from the \
      device's clock.

      It also plays what a device reports beside the arrival: that it showed the notification, that it slept, in which \
      network it was. A scenario's deliveries can say the same, and change it by episodes.

      Prints its address in one line when it listens.

      Example: pushscope device --receipts https://127.0.0.1:8443 --clock-skew -90s --clock-drift 40ppm --delay 80ms
      """)

  @Option(
    help: ArgumentHelp("The port on 127.0.0.1 for notifications; 0 for a free one.", valueName: "port"))
  var port = 8472

  @Option(help: ArgumentHelp("The collector's receipt listener.", valueName: "url"))
  var receipts: String

  @Option(
    help: ArgumentHelp(
      "PEM of the authority that signed the listener's certificate. Default: DIR/ca.pem.", valueName: "file"))
  var receiptsCa: String?

  @Option(
    help: ArgumentHelp(
      "The directory of ca.pem, server.pem and server.key, created if missing. Default: a directory beside the store.",
      valueName: "dir"))
  var credentials: String?

  @Option(help: ArgumentHelp("The device's name, 1 to 128 bytes.", valueName: "text"))
  var name = "simulated-device"

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How far its clock is ahead of this host's, like 5s or -90s.", valueName: "duration"),
    transform: SkewArgument.parse)
  var clockSkew: SkewArgument?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How much faster its clock runs, like 40ppm or -40ppm. The collector's bounds hold up to 500ppm.",
      valueName: "ppm"),
    transform: DriftArgument.parse)
  var clockDrift: DriftArgument?

  @Option(
    help: ArgumentHelp("The network delay to the device.", valueName: "duration"),
    transform: DurationArgument.parse)
  var delay: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "The network delay from the device. Default: that of --delay.", valueName: "duration"),
    transform: DurationArgument.parse)
  var delayBack: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "The scenario of the push service in front of it (YAML); see config/scenarios. Default: no delays and no faults.",
      valueName: "file"))
  var scenario: String?

  @Option(
    help: ArgumentHelp(
      "Report each notification as shown so long after it was received.", valueName: "duration"),
    transform: DurationArgument.parse)
  var shownAfter: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "Do not show this share of the notifications, like 10%. With --shown-after.", valueName: "share"),
    transform: ToleranceArgument.parse)
  var unseen: Double?

  @Option(
    help: ArgumentHelp(
      "Sleep for the first time of each of the second, like 30s/10m: what comes meanwhile is received at the end, all at once.",
      valueName: "duration/duration"),
    transform: SleepArgument.parse)
  var asleep: SleepArgument?

  @Option(
    help: ArgumentHelp(
      "Report this network: \(DeviceContextKey.network.words.joined(separator: ", ")).", valueName: "word"))
  var network: String?

  @Option(help: ArgumentHelp("The seed of random delays.", valueName: "n"))
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("End when this many receipts are stored.", valueName: "n"))
  var count: Int?

  @Option(
    help: ArgumentHelp(
      "Write what really happened to each notification to this file, as JSON Lines.", valueName: "file"))
  var script: String?

  @Flag(help: .hidden)
  var untilInputEnds = false

  func validate() throws {
    try ServiceArguments.check(port: port)
    guard (1...128).contains(name.utf8.count) else {
      throw ValidationError("--name has \(CountText.text(name.utf8.count, "byte")); give 1 to 128")
    }
    if let network, !DeviceContextKey.network.words.contains(network) {
      throw ValidationError(
        "--network \(network) is not a network; give one of \(DeviceContextKey.network.words.joined(separator: ", "))"
      )
    }
    if let unseen, unseen > 1 { throw ValidationError("--unseen is more than all; give at most 100%") }
    guard unseen == nil || shownAfter != nil else {
      throw ValidationError("--unseen needs --shown-after: a device that shows nothing is not expected to")
    }
    if let count, count < 1 { throw ValidationError("--count \(count) is too small; give at least 1") }
    _ = try ServiceArguments.endpoint(receipts: receipts)
  }

  func run() async throws {
    let logger = DaemonLog.logger("device")
    DescriptorLimit.raise()
    try DescriptorLimit.require(32, for: "the device")
    let directory = try credentials ?? DefaultPath(in: ProcessEnvironment.all, for: .writing).credentials()
    if let script { try OutputGuard().check(script) }
    var behavior =
      try scenario.map { try Scenario.load(path: $0, environment: ProcessEnvironment.all) } ?? .ideal
    behavior.seed = behavior.seed &+ seed
    behavior.change { deliveries in
      if let shownAfter { deliveries.shown = .constant(shownAfter.duration) }
      if let unseen { deliveries.unseen = unseen }
      if let asleep { deliveries.asleep = asleep.sleep }
      if let network { deliveries.context[.network] = network }
    }
    let remote = RemoteDevice(
      skew: clockSkew?.duration ?? .zero, drift: clockDrift?.partsPerMillion ?? 0,
      delay: delay?.duration ?? .zero, delayBack: delayBack?.duration)
    let stopped = AsyncStream<Never>.makeStream()
    var options = LoopbackOptions(
      port: port, credentialsDirectory: directory, scenario: behavior,
      receipts: ReceiptDestination(
        endpoint: try ServiceArguments.endpoint(receipts: receipts),
        authorityFile: receiptsCa ?? "\(directory)/ca.pem"),
      device: name, remote: remote,
      receiptLimit: count.map { ReceiptLimit(count: $0) { stopped.continuation.finish() } },
      scriptFile: script)
    options.onShortage = { logger.error("\(HTTPServerConfiguration.shortageWords("device", limit: $0))") }
    let server = try await LoopbackServer.start(options)
    try await StopRequest.watch(
      logger, untilInputEnds: untilInputEnds, stop: { stopped.continuation.finish() }
    ) {
      [receipts] in
      // Signals are handled from here on.
      try StandardOutput.announce("https://127.0.0.1:\(server.port)")
      logger.info("trust \(server.credentials.authorityFile); receipts are posted to \(receipts)")
      for await _ in stopped.stream {}
    }
    await server.settle(within: .seconds(5))
    let statistics = await server.statistics()
    await server.shutdown()
    let posts = statistics.receipts
    logger.info(
      "stopped after \(CountText.text(statistics.deliveries, "notification")): \(CountText.text(posts.posted, "receipt")) posted, \(CountText.text(posts.retries, "failed attempt"))"
    )
  }
}
