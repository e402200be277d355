import Measurement
import Store

/// When notifications were sent to each device, by all of its targets: how long a device had been left alone before one.
final class DeviceGaps {
  /// How far before a window notifications are looked for: further where a device has none so near.
  private static let reaches: [Duration] = [.minutes(10), .hours(1), .hours(6), .days(1), .days(7)]

  /// Ascending, by device.
  private var sent: [String: [WallTime]] = [:]
  private let devices: [TargetID: String]
  /// When the first notification was planned whose gap is known.
  let start: WallTime

  /// - Parameters:
  ///   - devices: of all targets of the source, in whatever run.
  ///   - wanted: the devices that matter.
  init(
    _ reader: any SampleSource, devices: [TargetID: String], of wanted: Set<String>,
    from first: WallTime, to last: WallTime
  ) throws {
    self.devices = devices
    start = first
    let columns = SampleColumns([.scheduleLag])
    var (end, missing) = (last, wanted)
    for reach in Self.reaches {
      let begin = first - reach
      for (target, device) in devices.sorted(by: { $0.key < $1.key }) where missing.contains(device) {
        try reader.forEachSample(of: target, plannedFrom: begin, to: end, columns: columns) { row in
          guard let lag = row.scheduleLag else { return }
          sent[device, default: []].append(row.plannedAt.advanced(byMicroseconds: lag))
        }
      }
      for device in missing { sent[device]?.sort() }
      missing = missing.filter { sent[$0]?.first ?? .distantFuture >= first }
      if missing.isEmpty { break }
      end = begin
    }
  }

  /// Adds one that was sent since the others were read; nothing changes where it is known already.
  func add(sentAt time: WallTime, of target: TargetID) {
    guard let device = devices[target] else { return }
    let place = (sent[device] ?? []).partitioningIndex { $0 >= time }
    guard sent[device].map({ place == $0.count || $0[place] != time }) ?? true else { return }
    sent[device, default: []].insert(time, at: place)
    forgetOld(of: device)
  }

  /// Drops what no gap reaches back to, once that is half of it.
  private func forgetOld(of device: String) {
    guard let times = sent[device], let last = times.last, let reach = Self.reaches.last else { return }
    let old = times.partitioningIndex { $0 >= last - reach }
    if old > times.count / 2 { sent[device]?.removeFirst(old) }
  }

  /// The time since the one before it was sent; `nil` where there is none within a week.
  func gap(before time: WallTime, of target: TargetID) -> Duration? {
    guard let times = devices[target].flatMap({ sent[$0] }) else { return nil }
    // The last one that was sent earlier.
    let place = times.partitioningIndex { $0 >= time }
    return place > 0 ? time - times[place - 1] : nil
  }
}
