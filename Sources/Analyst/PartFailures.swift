import Measurement

/// Which parts failed when, and which of them are switched off because of it. Values only; the supervisor drives it.
struct PartFailures: Sendable {
  private struct Failure: Sendable {
    var unit: String
    var at: MonotonicTime
  }

  /// A part is switched off that fails so often at one unit of work within this time.
  static let limit = 3
  static let period = Duration.minutes(10)
  /// How long it stays off.
  static let rest = Duration.hours(1)

  private var failures: [CollectorPart: [Failure]] = [:]
  /// When each is tried again.
  private(set) var switchedOff: [CollectorPart: MonotonicTime] = [:]

  /// A part failed.
  /// - Returns: whether it is switched off by that.
  mutating func record(_ part: CollectorPart, unit: String, at now: MonotonicTime) -> Bool {
    var recent = (failures[part] ?? []).filter { now - $0.at < Self.period }
    recent.append(Failure(unit: unit, at: now))
    guard recent.count(where: { $0.unit == unit }) >= Self.limit else {
      failures[part] = recent
      return false
    }
    failures[part] = nil
    switchedOff[part] = now + Self.rest
    return true
  }

  /// Switches on those that have rested.
  /// - Returns: those.
  mutating func resumeRested(at now: MonotonicTime) -> Set<CollectorPart> {
    let rested = Set(switchedOff.filter { $0.value <= now }.keys)
    for part in rested { switchedOff[part] = nil }
    return rested
  }

  /// Every part is tried again, as at a start.
  mutating func forget() { self = PartFailures() }
}
