import ArgumentParser
import Collector
import Configuration
import Formats
import Foundation
import Logging
import Measurement
import Store
import Threads

/// Sends a few notifications to some targets as the collector would, and tells what became of them, in a table that is fit for a
/// bug report: nothing secret is in it.
struct DoctorTrial {
  let configuration: PushscopeConfiguration
  let targets: [String]
  let count: Int

  /// The longest wait for a receipt.
  private static let longestWait = Duration.seconds(60)

  /// - Throws: ``CommandFailure`` when nothing could be sent.
  func run() async throws -> [String] {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "pushscope-\(UUID().uuidString)"
    ).path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let path = directory + "/trial.sqlite"
    var logger = DaemonLog.logger("doctor")
    logger.logLevel = .error
    DescriptorLimit.raise()
    var trial = configuration
    // Devices that have joined are targets of it already, and none joins a trial.
    trial.devices = nil
    // At once, and not at the pace of a schedule that may be minutes; nor is a receipt waited for for days.
    for index in trial.targets.indices {
      trial.targets[index].schedule = .constant(.every(seconds: 1))
      trial.targets[index].receiptDeadline = trial.targets[index].receiptDeadline.map {
        min($0, Self.longestWait)
      }
    }
    let service = CollectorService(
      configuration: trial,
      options: CollectorOptions(
        storePath: path, runName: "doctor", targetNames: targets, count: Int64(count),
        allowsAboveProviderLimit: true),
      logger: logger)
    _ = try await StopRequest.watch(logger, stop: { service.stop() }) {
      try await service.run()
    }
    return try table(of: path)
  }

  private func table(of path: String) throws -> [String] {
    let reader = try StoreReader.open(at: path)
    defer { reader.close() }
    guard let run = try reader.latestRun() else { return [] }
    let known = try reader.targets(of: run.id)
    var table = TextTable([
      .init("target"), .init("provider"), .init("service"), .init("state"), .init("status", .right),
      .init("reason"),
      .init("accept", .right), .init("delivery", .right), .init("HTTP"),
    ])
    try reader.forEachSample(RowSelection(run: run.id)) { row in
      let id = row.id.target
      guard let target = known.first(where: { $0.id == id }) else { return }
      let reason = row.withText(.reason) { $0.map { String(decoding: $0, as: UTF8.self) } ?? "" }
      table.append([
        target.name, target.provider, EscapedText.make(service(of: target)), row.state.name,
        row.status.map(String.init) ?? "", EscapedText.make(reason),
        row.acceptLatency.map(LatencyText.text) ?? "",
        row.deliveryLatency.map(LatencyText.text) ?? "", row.httpVersion?.name ?? "",
      ])
    }
    let version = "pushscope \(Pushscope.configuration.version), \(WallTime.now.rfc3339)"
    return [version] + table.lines(indent: 0)
  }

  /// The provider's own service by name; any other server is not named, since its name may be nobody else's business.
  private func service(of target: TargetRecord) -> String {
    let host =
      target.endpoint.map { $0.replacing("https://", with: "").prefix { $0 != ":" && $0 != "/" } } ?? ""
    let known = [
      "api.push.apple.com", "api.sandbox.push.apple.com", "fcm.googleapis.com", "ntfy.sh",
      "updates.push.services.mozilla.com", "web.push.apple.com",
    ]
    if known.contains(String(host)) { return String(host) }
    return host.hasSuffix(".notify.windows.com") ? "notify.windows.com" : "another server"
  }
}

extension WallTime {
  fileprivate static var now: WallTime { SystemClock().wallNow() }
}
