import Analyst
import ArgumentParser
import Collector
import Configuration
import Logging
import Measurement
import Monitoring
import Report
import Store
import Threads

struct Collect: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Send test notifications on a schedule, time every step, take receipts, and record all of it.",
    discussion: """
      Runs in the foreground until SIGINT or SIGTERM, until its terminal closes, or until --count or --duration is reached. It then waits for \
      answers and receipts and closes the run: for the longest timeout or receipt deadline of its targets, after a signal at \
      most for --drain. A second SIGINT or SIGTERM, half a second later or more, ends it at once; the next start marks what was under way as interrupted. \
      SIGHUP reads the configuration and every credential again: a file with an error changes nothing, and targets that are \
      as before do not notice. It is ignored under nohup. With --gate it ends with the verdict on its last run, also after a signal: 0, 99 \
      breached, 98 undecided. Without --count and --duration the dashboard can stop the run and start another one.

      Under systemd (Type=notify) it tells when it is ready and that it is alive. --check reads the configuration and every \
      credential, says whether they are valid, and exits: 0 or 78.

      Example: pushscope collect --config pushscope.yaml --target ios --rate 1/s --duration 10m
      """)

  @OptionGroup var configurationFile: ConfigurationOption
  @OptionGroup var store: StoreOption

  @Option(
    name: .customLong("target"),
    help: ArgumentHelp("Send to this target only (repeatable).", valueName: "name"))
  var targets: [String] = []

  @Option(
    help: ArgumentHelp("Replaces the schedule's rate, per target: 4/s, 30/min.", valueName: "rate"),
    transform: RateArgument.parse)
  var rate: RateArgument?

  @Option(help: ArgumentHelp("End after this many notifications per target.", valueName: "n"))
  var count: Int?

  @Option(
    help: ArgumentHelp("End after this time: 30s, 10m.", valueName: "duration"),
    transform: DurationArgument.parse)
  var duration: DurationArgument?

  @Option(
    help: ArgumentHelp(
      "How long a stop waits for answers and receipts (default: 60s).",
      valueName: "duration"),
    transform: DurationArgument.parse)
  var drain: DurationArgument?

  @Option(help: ArgumentHelp("A name for the run.", valueName: "text"))
  var runName: String?

  @Option(
    name: .customLong("gate"),
    help: ArgumentHelp(
      "At the end judge the run, like pushscope gate (repeatable): \"delivery within 2s share 99%\".",
      valueName: "gate"),
    transform: GateOptions.parse)
  var gates: [Gate] = []

  @OptionGroup var verdict: GateVerdictOptions

  @Flag(help: "Allow a rate above the limits that a provider documents.")
  var allowAboveProviderLimit = false

  @Flag(help: "Check the configuration and its credentials, and exit.")
  var check = false

  @OptionGroup var log: LogOptions

  @Flag(help: .hidden)
  var untilInputEnds = false

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count \(count) is too small; give at least 1") }
    try duration?.checkLength(as: "--duration")
    if gates.isEmpty, verdict.isGiven {
      throw ValidationError("--junit and --undecided are for the verdict of a gate; add --gate")
    }
    if let runName { try RunNameArgument.check(runName, as: "--run-name") }
  }

  func run() async throws { try await log.loggingFailures { try await collect() } }

  private func collect() async throws {
    let logger = DaemonLog.logger("collect", log)
    DescriptorLimit.raise()
    try DescriptorLimit.require(44, for: "a collector")
    let (file, configuration) = try loadConfiguration()
    // A check needs no store, and no home directory that one could be in; devices are beside one, if there are any.
    let path = check ? (try? store.path(for: .writing)) ?? "" : try store.path(for: .writing)
    if !check { try verdict.checkOutput(store: path) }
    let monitoring =
      configuration.isMonitored
      ? MonitoringService(
        configuration, version: Pushscope.configuration.version, logger: logger,
        droppedLogLines: { DaemonLog.droppedLines }) : nil
    let analyst = CollectorAnalyst(configuration, monitoring, logger)
    let service = CollectorService(
      configuration: configuration,
      options: CollectorOptions(
        storePath: path, runName: runName, targetNames: targets, rate: rate?.rate,
        count: count.map(Int64.init), duration: duration?.duration,
        allowsAboveProviderLimit: allowAboveProviderLimit, drain: drain?.duration ?? .seconds(60)),
      logger: logger, manager: ServiceManager(environment: ProcessEnvironment.all),
      observer: CollectionObservers((monitoring.map { [$0] } ?? []) + [analyst.observer]),
      load: { try PushscopeConfiguration.load(path: file, environment: ProcessEnvironment.all) })
    service.onConfiguration { analyst.update($0) }
    if let monitoring { Self.connect(monitoring, service) }
    if check { return try check(configuration, service) }
    let progress = RateProgress(store: path, logger: logger)
    let last: RunEnd?
    do {
      last = try await StopRequest.watch(
        logger, untilInputEnds: untilInputEnds, reload: { Task { await service.reload() } },
        stop: { service.stop() }
      ) {
        try await service.run(
          onStart: { start in
            logger.info("run \(start.run) into \(path)")
            progress.begin(start.run)
          },
          onEnd: { end in
            progress.end(end.run)
            logger.info(
              "run \(end.run) is closed (\((end.wasStopped ? RunEndReason.stopped : .completed).rawValue))")
          })
      }
    } catch {
      var failure = CommandFailure(describing: error)
      // A store that is found damaged or full during a run is a failure of the run, not of what was asked for.
      if progress.isFollowing, error is StoreError { failure.exitStatus = .failed }
      throw failure
    }
    if !gates.isEmpty { try judge(last, in: path) }
  }

  /// A check ends with 0 or 78, also where there is no file.
  private func loadConfiguration() throws -> (file: String, configuration: PushscopeConfiguration) {
    do {
      let file = try configurationFile.path()
      let configuration = try PushscopeConfiguration.load(
        path: file, environment: ProcessEnvironment.all, checksOnly: check)
      return (file, configuration)
    } catch {
      guard check else { throw error }
      throw CommandFailure(CommandFailure(describing: error).message, exitStatus: .configuration)
    }
  }

  /// What a reload takes, the monitoring takes too; and it can ask for one.
  private static func connect(_ monitoring: MonitoringService, _ service: CollectorService) {
    service.onConfiguration { monitoring.update($0) }
    monitoring.setReload { done in
      Task {
        switch await service.reload() {
        case .taken: done(nil)
        case .refused(let reason): done(reason)
        }
      }
    }
  }

  /// Ends with the gates' verdict on a run.
  private func judge(_ run: RunEnd?, in path: String) throws {
    guard let run else {
      throw CommandFailure("no run was closed, so the gate is undecided", exitStatus: .undecided)
    }
    let reader = try StoreOption.reader(at: path)
    try verdict.end(with: GateReport(gates, reader, RowSelection(run: run.run)), store: path)
  }

  /// Prints what was checked.
  private func check(_ configuration: PushscopeConfiguration, _ service: CollectorService) throws {
    let unread = configuration.unreadCredentials
    if unread.isEmpty {
      do {
        try service.check()
      } catch {
        throw CommandFailure(CommandFailure(describing: error).message, exitStatus: .configuration)
      }
    }
    let targets = service.configuration.targets
    let names = targets.isEmpty ? "" : " (\(targets.map(\.name).joined(separator: ", ")))"
    let joined = configuration.devices == nil ? "" : "; devices may join"
    try StandardOutput.writeLine(
      "\(EscapedText.make(configuration.file)) is valid: \(CountText.text(targets.count, "target"))\(names)\(joined)"
    )
    for notice in service.certificateNotices() { try StandardOutput.writeLine(notice) }
    for objective in configuration.objectives where !targets.contains(where: { $0.name == objective.target })
    {
      try StandardOutput.writeLine(
        "objective \(objective.name.debugDescription) is of \(objective.target.debugDescription), which is no target yet: a device may "
          + "join under this name")
    }
    guard !unread.isEmpty else { return }
    try StandardOutput.writeLine(
      "credentials that the service manager gives to the unit alone were checked by name only: "
        + unread.joined(separator: ", "))
  }
}

/// What explains, judges, tells and forwards: in a process of its own, or in this one.
private struct CollectorAnalyst {
  let observer: any CollectionObserver
  let update: @Sendable (PushscopeConfiguration) -> Void

  init(_ configuration: PushscopeConfiguration, _ monitoring: MonitoringService?, _ logger: Logger) {
    let connections = AnalystConnections(monitoring)
    switch configuration.collector.analyst {
    case .on:
      let supervisor = AnalystSupervisor(
        configuration, environment: ProcessEnvironment.all, connections: connections, logger: logger)
      observer = supervisor
      update = { supervisor.update($0) }
    case .off:
      let analyst = InProcessAnalyst(
        configuration, client: WebhookRequest(), connections: connections, logger: logger)
      observer = analyst
      update = { analyst.update($0) }
    }
  }
}
