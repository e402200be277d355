import Measurement
import Store

/// The alerts that last or whose end is not told yet, and what is to be delivered of them when. Values only; the sender
/// drives it.
struct AlertQueue: Sendable {
  /// The ways an alert is told, with what each needs to know.
  struct Way: Sendable, Hashable {
    /// `webhook` or `command`.
    var name: String
    var sendsResolved: Bool
    /// How often a lasting alert is told again.
    var repeatInterval: Duration
  }

  static let firstPause = Duration.seconds(10)
  static let longestPause = Duration.hours(1)
  /// How long a delivery may fail before it is given up.
  static let timeout = Duration.days(1)
  /// The tries before it is given up: less than a day has, so that a clock that is set forward gives nothing up.
  private static let leastTries = 20

  private(set) var records: [String: AlertRecord]
  /// What the store does not have yet.
  private(set) var changed: Set<String> = []
  private(set) var removed: Set<String> = []

  /// - Parameter stored: of the last collector.
  init(stored: [AlertRecord] = []) {
    records = Dictionary(stored.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Those in the order of their start.
  var ordered: [AlertRecord] { records.values.sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) } }

  /// Replaces the alerts of a kind by those that last now. Others of that kind have ended.
  mutating func replace(_ kind: AlertRecord.Kind, with alerts: [Alert], at now: WallTime) {
    for alert in alerts {
      if var known = records[alert.id] {
        guard known.endedAt != nil || known.annotations != alert.annotations else { continue }
        // It returned before its end was told everywhere: it lasts again.
        known.endedAt = nil
        known.annotations = alert.annotations
        records[alert.id] = known
      } else {
        records[alert.id] = alert.record
      }
      changed.insert(alert.id)
      removed.remove(alert.id)
    }
    let lasting = Set(alerts.map(\.id))
    for (id, record) in records
    where record.kind.word == kind && record.endedAt == nil && !lasting.contains(id) {
      records[id]?.endedAt = max(now, record.startedAt)
      changed.insert(id)
    }
  }

  /// Removes what is over and told. Without a way nothing has to be told.
  mutating func removeFinished(_ ways: [Way]) {
    for (id, record) in records where record.endedAt != nil {
      let isOpen = ways.contains { way in
        let delivery = record.deliveries[way.name] ?? .init()
        return way.sendsResolved && delivery.firedAt != nil && delivery.resolvedAt == nil
          && !delivery.isGivenUp
      }
      guard !isOpen else { continue }
      records[id] = nil
      changed.remove(id)
      removed.insert(id)
    }
  }

  /// Those to tell now in one message.
  func due(_ way: Way, at now: WallTime) -> [AlertRecord] {
    ordered.filter { record in
      let delivery = record.deliveries[way.name] ?? .init()
      if let retry = delivery.retryAt, Self.isAhead(retry, of: now) { return false }
      if record.endedAt != nil {
        return way.sendsResolved && delivery.firedAt != nil && delivery.resolvedAt == nil
          && !delivery.isGivenUp
      }
      guard let fired = delivery.firedAt else { return !delivery.isGivenUp }
      // One whose end was told lasts again.
      return delivery.resolvedAt != nil || Self.repetition(of: fired, way, at: now) <= now.microseconds
    }
  }

  /// Whether a retry is still to come. One that is further away than any pause is of a clock that was ahead, and due.
  private static func isAhead(_ retry: Int64, of now: WallTime) -> Bool {
    let rest = retry.subtractingClamped(now.microseconds)
    return rest > 0 && rest <= longestPause.microseconds
  }

  /// When an alert that was told at an instant is told again. An instant that is to come is of a clock that was ahead.
  private static func repetition(of fired: Int64, _ way: Way, at now: WallTime) -> Int64 {
    fired.subtractingClamped(now.microseconds) > longestPause.microseconds
      ? now.microseconds : fired.addingClamped(way.repeatInterval.microseconds)
  }

  /// When something is due next; `nil` while nothing lasts.
  func nextDue(_ ways: [Way], after now: WallTime) -> WallTime? {
    var next: Int64?
    for record in records.values {
      for way in ways {
        let delivery = record.deliveries[way.name] ?? .init()
        let at: Int64?
        if delivery.isGivenUp {
          at = nil
        } else if let retry = delivery.retryAt {
          at = Self.isAhead(retry, of: now) ? retry : now.microseconds
        } else if record.endedAt != nil {
          at =
            way.sendsResolved && delivery.firedAt != nil && delivery.resolvedAt == nil
            ? now.microseconds : nil
        } else {
          at = delivery.firedAt.map { Self.repetition(of: $0, way, at: now) } ?? now.microseconds
        }
        if let at { next = min(next ?? at, at) }
      }
    }
    return next.map(WallTime.init(microseconds:))
  }

  /// Records what came of a message.
  /// - Parameter problem: `nil` when it was delivered.
  /// - Returns: how many were given up.
  mutating func record(_ told: [AlertRecord], _ way: Way, problem: String?, at now: WallTime) -> Int {
    var givenUp = 0
    for record in told {
      guard let current = records[record.id] else { continue }
      var delivery = current.deliveries[way.name] ?? .init()
      if let problem {
        delivery.tries = min(max(0, delivery.tries), 1_000_000) + 1
        delivery.problem = problem
        delivery.failingSince = delivery.failingSince ?? now.microseconds
        let pause = min(Self.longestPause, Self.firstPause * (1 << min(delivery.tries - 1, 12)))
        delivery.retryAt = (now + pause).microseconds
        if now.microseconds.subtractingClamped(delivery.failingSince ?? now.microseconds)
          >= Self.timeout.microseconds, delivery.tries >= Self.leastTries
        {
          delivery.isGivenUp = true
          delivery.retryAt = nil
          givenUp += 1
        }
      } else {
        let isResolved = record.endedAt != nil
        delivery = .init()
        delivery.firedAt = isResolved ? current.deliveries[way.name]?.firedAt : now.microseconds
        delivery.resolvedAt = isResolved ? now.microseconds : nil
      }
      records[record.id]?.deliveries[way.name] = delivery
      changed.insert(record.id)
    }
    return givenUp
  }

  /// What the store lacks; afterwards it lacks nothing.
  mutating func drainUnsaved() -> ObjectiveChanges {
    var changes = ObjectiveChanges()
    changes.alerts = changed.compactMap { records[$0] }.sorted { $0.id < $1.id }
    changes.removedAlerts = removed.sorted()
    changed = []
    removed = []
    return changes
  }

  /// Restores what could not be saved.
  mutating func restore(_ changes: ObjectiveChanges) {
    changed.formUnion(changes.alerts.map(\.id).filter { records[$0] != nil })
    removed.formUnion(changes.removedAlerts.filter { records[$0] == nil })
  }
}
