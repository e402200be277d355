import ArgumentParser
import Configuration
import Fleet
import Logging
import Measurement
import Store
import Synchronization
import Threads

struct Forward: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Forward a store to the fleet without collecting.",
    discussion: """
      For a store that no collector has: a collector with a section fleet: forwards by itself. Runs until SIGINT or SIGTERM; with \
      --once until all rows are forwarded, and ends with 69 when the engine cannot be reached.

      Example: pushscope forward --once --store old.sqlite
      """)

  @OptionGroup var configurationFile: ConfigurationOption
  @OptionGroup var store: StoreOption

  @Flag(help: "Forward what is there, and exit.")
  var once = false

  @OptionGroup var log: LogOptions

  func run() async throws { try await log.loggingFailures { try await forward() } }

  private func forward() async throws {
    let fleet = try FleetFile.load(configurationFile)
    let path = try store.path(for: .reading)
    let logger = DaemonLog.logger("forward", log)
    let collector = try StoreAdministration.open(path, clock: SystemClock())
    defer { collector.close() }
    if once {
      let forwarded = try all(fleet, collector)
      return try StandardOutput.writeLine("\(path): \(CountText.text(forwarded, "row")) forwarded")
    }
    let forwarding = FleetForwarding(fleet, logger: logger)
    try forwarding.start(collector)
    let stopped = FirstResult<Void, Never>()
    try await StopRequest.watch(logger, stop: { stopped.finish() }) { await stopped.value() }
    await forwarding.stop()
  }

  /// Forwards until there is nothing left.
  private func all(_ fleet: FleetConfiguration, _ collector: CollectorStore) throws -> Int {
    let reader = try StoreReader.open(at: collector.path)
    defer { reader.close() }
    let forwarder = try Forwarder(fleet, store: collector, reader: reader)
    let progress = LongWork("forwarding \(collector.path)")
    var rows = 0
    var isRenumbering = false
    while true {
      let step = try forwarder.step()
      rows += step.rows
      if step.isRenumbering, !isRenumbering {
        isRenumbering = true
        StandardError.write(
          "pushscope: \(collector.path) is an older copy of a store that was forwarded: its rows get new revisions, and its runs "
            + "are shown in the fleet as they are here; if the original goes on, give the copy an id with pushscope store adopt"
        )
      }
      guard step.isMore else { return rows }
      progress.tick()
    }
  }
}
