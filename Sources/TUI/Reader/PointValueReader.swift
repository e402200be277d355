import Analysis
import Measurement
import Store

/// Gives the notifications in memory the numbers of their values of a key: all of them when the key is chosen, then those that are read
/// or have changed. Only good ones have a number, since all others have colors of their own.
struct PointValueReader {
  private let clock: any HostClock
  private let zone: LocalTime
  private var key: BreakdownKey?
  private var targets: [TargetRecord] = []
  /// `nil` without a key.
  private var division: BreakdownDivision?
  private var numbers: [BreakdownDivision.Value: UInt8] = [:]
  /// The values that have numbers: that of number 1 first.
  private var found: [BreakdownDivision.Value] = []
  private var hasFurther = false
  private var divisions = 0
  /// Targets whose first receipts came after a division was made that needs their devices.
  private var received: Set<TargetID> = []
  /// `nil` without a key, and until what is in memory has its numbers.
  private(set) var values: PointValues?
  /// What is in memory has to be numbered again.
  private(set) var needsDivision = false

  /// - Parameter zone: of hours and weekdays.
  init(clock: any HostClock, zone: LocalTime) { (self.clock, self.zone) = (clock, zone) }

  mutating func ask(_ key: BreakdownKey?) {
    guard key != self.key else { return }
    (self.key, needsDivision) = (key, true)
    (division, values) = (nil, nil)
  }

  /// Sets the targets whose notifications are divided, as they are stored now.
  mutating func set(_ targets: [TargetRecord]) { self.targets = targets }

  /// Begins with other notifications, or with another key.
  /// - Parameter start: when the first of the notifications was planned; `nil` without any.
  mutating func begin(_ reader: any DashboardSource, from start: WallTime?) throws {
    (division, values, numbers, found, hasFurther) = (nil, nil, [:], [], false)
    needsDivision = false
    guard let key else { return }
    divisions += 1
    // Stays set when reading throws, so that the next poll retries.
    needsDivision = true
    try divide(reader, from: start)
    values = PointValues(division: divisions, key: key)
    needsDivision = false
  }

  private mutating func divide(_ reader: any DashboardSource, from start: WallTime?) throws {
    guard let key else { return }
    // Plans of a committed block lie ahead of now, by less than a day.
    let end = clock.wallNow() + .days(1)
    division = try BreakdownDivision(
      BreakdownKeys([key], zone: zone), reader, targets: targets, in: min(start ?? end, end)..<end)
  }

  /// Gives all notifications of a window their numbers.
  mutating func number(_ window: inout PointWindow, _ reader: any DashboardSource) throws {
    guard let key, division != nil else { return }
    if let start = window.firstPlanned, division?.reaches(start) == false { try divide(reader, from: start) }
    guard let division else { return }
    for target in targets {
      division.begin(target)
      if !key.needsRow {
        window.setValues(of: target.id) {
          number(of: division.value(plannedAt: $0.plannedTime, scheduleLag: $0.scheduleLag, of: target.id))
        }
      } else if let time = window.planned(of: target.id) {
        // What retention deletes meanwhile has no value.
        window.setValues(of: target.id) { _ in 0 }
        try division.forEach(of: target, in: time) { value, row in
          guard MarkClass(row.state) == .good else { return }
          window.setValue(number(of: value), of: row.id)
        }
      }
    }
    publish()
  }

  /// Gives changed notifications their numbers.
  mutating func number(_ rows: inout ContiguousArray<PointRow>, _ reader: any DashboardSource) throws {
    guard let key, let division else { return }
    if key == .gap {
      for row in rows {
        guard let lag = row.point.scheduleLag else { continue }
        division.addSent(at: row.point.plannedTime.advanced(byMicroseconds: lag), of: row.id.target)
      }
    }
    let good = rows.indices.filter { MarkClass(rows[$0].point.state) == .good }
    guard !good.isEmpty else { return }
    for row in good.map({ rows[$0] })
    where row.point.state == .delivered && division.lacksDevice(of: row.id.target) {
      // Its device is known now; everything is divided anew, once for each target.
      if received.insert(row.id.target).inserted { needsDivision = true }
    }
    let places = Dictionary(grouping: good) { rows[$0].id.target }
    for target in targets {
      guard let own = places[target.id] else { continue }
      division.begin(target)
      if !key.needsRow {
        for place in own {
          let point = rows[place].point
          rows[place].point.valueNumber = number(
            of: division.value(
              plannedAt: point.plannedTime, scheduleLag: point.scheduleLag, of: target.id))
        }
      } else {
        var known: [SampleID: UInt8] = [:]
        try reader.forEachSample(withIDs: own.map { rows[$0].id }) { row in
          known[row.id] = number(of: try division.value(of: row))
        }
        for place in own { rows[place].point.valueNumber = known[rows[place].id] ?? 0 }
      }
    }
    publish()
  }

  private mutating func number(of value: BreakdownDivision.Value) -> UInt8 {
    if let known = numbers[value] { return known }
    guard found.count < Int(PointValues.further) - 1 else {
      hasFurther = true
      return PointValues.further
    }
    found.append(value)
    let number = UInt8(found.count)
    numbers[value] = number
    return number
  }

  /// Tells what values there are, where there are others than before.
  private mutating func publish() {
    guard let division, let values,
      values.texts.count != found.count || values.order.count != found.count + (hasFurther ? 1 : 0)
    else { return }
    let order = found.indices.sorted { division.isBefore(found[$0], found[$1]) }.map { UInt8($0 + 1) }
    self.values?.set(
      found.map { division.texts(of: $0)[0] }, order: order + (hasFurther ? [PointValues.further] : []))
  }
}

extension SamplePoint {
  fileprivate var plannedTime: WallTime { WallTime(microseconds: plannedAt) }
}
