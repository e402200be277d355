import ArgumentParser
import Configuration
import Formats
import HTTPServer
import Logging
import LoopbackService
import Measurement
import Threads

struct Loopback: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Run the built-in push service: APNs, FCM, Web Push and ntfy on one port, with scripted delays and faults.",
    discussion: """
      It refuses what the real services refuse: it verifies tokens and signatures, and decrypts Web Push. It writes to the \
      directory of --credentials what a client needs, and loopback.yaml with one target per dialect. With --receipts it \
      simulates the devices, which receive each notification after a delay and post a receipt to the collector; ntfy topics \
      are subscribed to. The scenario decides what happens to each notification; config/scenarios has examples. Prints its \
      address in one line when it listens.

      Example: pushscope loopback --credentials loopback --receipts https://127.0.0.1:8443

      and, in another terminal: pushscope collect --config loopback/loopback.yaml
      """)

  @Option(
    help: ArgumentHelp("The address to listen on, which this host alone reaches.", valueName: "address"))
  var host = LoopbackAddress.ipv4

  @Option(help: ArgumentHelp("The port; 0 for a free one.", valueName: "port"))
  var port = 8471

  @Option(
    help: ArgumentHelp(
      "The scenario (YAML); see config/scenarios. Default: realistic delays.", valueName: "file"))
  var scenario: String?

  @Option(
    help: ArgumentHelp(
      "The directory of certificates, keys, tokens and loopback.yaml, created if missing. Default: a directory beside the store.",
      valueName: "dir"))
  var credentials: String?

  @Option(
    help: ArgumentHelp("The collector's receipt listener; without it no receipts are sent.", valueName: "url")
  )
  var receipts: String?

  @Option(
    help: ArgumentHelp(
      "PEM of the authority that signed the listener's certificate. Default: DIR/ca.pem.", valueName: "file"))
  var receiptsCa: String?

  @Option(
    help: ArgumentHelp(
      "Write what was done to each notification to this file, as JSON Lines.", valueName: "file"))
  var script: String?

  @Flag(help: .hidden)
  var untilInputEnds = false

  /// Plays the scenario of `pushscope demo`.
  @Flag(help: .hidden)
  var demonstration = false

  func validate() throws {
    try ServiceArguments.check(port: port)
    if let receipts { _ = try ServiceArguments.endpoint(receipts: receipts) }
  }

  func run() async throws {
    let logger = DaemonLog.logger("loopback")
    DescriptorLimit.raise()
    try DescriptorLimit.require(32, for: "the service")
    let directory = try credentials ?? DefaultPath(in: ProcessEnvironment.all, for: .writing).credentials()
    if let script { try OutputGuard().check(script) }
    let scenario = try scenario.map { try Scenario.load(path: $0, environment: ProcessEnvironment.all) }
    let destination = try receipts.map {
      ReceiptDestination(
        endpoint: try ServiceArguments.endpoint(receipts: $0),
        authorityFile: receiptsCa ?? "\(directory)/ca.pem")
    }
    var options = LoopbackOptions(
      host: host.rawValue, port: port, credentialsDirectory: directory,
      scenario: scenario ?? (demonstration ? .demonstration : .lifelike), receipts: destination,
      scriptFile: script)
    options.onShortage = { logger.error("\(HTTPServerConfiguration.shortageWords("service", limit: $0))") }
    let server = try await LoopbackServer.start(options)
    let stopped = AsyncStream<Never>.makeStream()
    try await StopRequest.watch(
      logger, untilInputEnds: untilInputEnds, stop: { stopped.continuation.finish() }
    ) {
      [receipts] in
      // Signals are handled from here on.
      try StandardOutput.announce("https://\(ListenAddress(host: host.rawValue, port: server.port))")
      logger.info(
        "trust \(server.credentials.authorityFile); receipts are \(receipts.map { "posted to \($0)" } ?? "not posted (--receipts)")"
      )
      for await _ in stopped.stream {}
    }
    let statistics = await server.statistics()
    await server.shutdown()
    logger.info(
      "stopped after \(CountText.text(statistics.requests, "request")): \(statistics.accepted) accepted, \(statistics.lost) lost, \(CountText.text(statistics.receipts.posted, "receipt")) posted"
    )
  }
}

/// The addresses of the loopback interface. A host without IPv4 has the second one only.
enum LoopbackAddress: String, CaseIterable, ExpressibleByArgument {
  case ipv4 = "127.0.0.1"
  case ipv6 = "::1"
}
