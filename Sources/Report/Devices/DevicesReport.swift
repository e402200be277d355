import Formats
import Measurement
import Store

/// The devices of a store as text.
public enum DevicesReport {
  /// How many of a device's notifications are looked at.
  private static let most = 20_000
  private static let day = Duration.seconds(86_400)

  /// What became of a device's notifications.
  private struct Figures {
    var lastReceived: WallTime?
    /// The notifications of the last day, without those that are still waited for.
    var settled = 0
    var received = 0
  }

  /// A table of the devices that are there, by name.
  public static func list(_ reader: StoreReader, at now: WallTime) throws -> [String] {
    let devices = try reader.devices().filter { $0.state != .left }
    guard !devices.isEmpty else { return ["no devices yet: pushscope invite NAME lets one join"] }
    var table = TextTable([
      .init("device"), .init("state"), .init("platform"), .init("push service"), .init("since (UTC)"),
      .init("last received (UTC)"), .init("received in 24 h", .right),
    ])
    let figures = try figures(of: Set(devices.map(\.name)), in: reader, at: now)
    for device in devices {
      // The configured target's figures are not the device's.
      let known = device.state == .shadowed ? Figures() : figures[device.name] ?? Figures()
      let share =
        known.settled == 0
        ? "–" : "\(PercentText.brief(known.received, of: known.settled)) of \(known.settled)"
      table.append([
        device.name, device.state.rawValue, device.platform, device.service, RunText.time(device.joinedAt),
        known.lastReceived.map(RunText.time) ?? "never", share,
      ])
    }
    return table.lines()
  }

  /// - Returns: by the device's name, from the newest run.
  private static func figures(
    of names: Set<String>, in reader: StoreReader, at now: WallTime
  ) throws -> [String: Figures] {
    guard let run = try reader.latestRun() else { return [:] }
    let targets = try reader.targets(of: run.id).filter { names.contains($0.name) }
    let start = (now - day).microseconds
    var figures: [String: Figures] = [:]
    for target in targets {
      var known = Figures()
      for row in try reader.lastPoints(of: [target.id], limit: most).points {
        let point = row.point
        if let delivery = point.deliveryLatency {
          let received = WallTime(microseconds: point.plannedAt.addingClamped(delivery))
          known.lastReceived = max(known.lastReceived ?? received, received)
        }
        guard point.plannedAt >= start, point.state.isSettled else { continue }
        known.settled += 1
        if point.deliveryLatency != nil { known.received += 1 }
      }
      figures[target.name] = known
    }
    return figures
  }
}
