import Measurement

/// Tells how long nothing was heard of a target (dead man): no receipt where receipts are expected, otherwise no acceptance.
///
/// Only time counts in which a run is under way, so that a collector that was stopped does not alarm when it starts; and it
/// goes on after a restart, so that one that restarts again and again does.
struct SilenceDetector: Sendable {
  /// Heard or begun since: where the silence counts from; `nil` while no run is under way.
  private var since: MonotonicTime?
  /// Silence before that.
  private var earlier: Duration
  private var lastCount: UInt64?

  /// - Parameter quiet: silence as of the last collector.
  init(quiet: Duration = .zero) { earlier = quiet }

  /// - Parameters:
  ///   - count: how much was heard since the collector started.
  ///   - isInRun: whether a run sends to the target.
  /// - Returns: silence so far.
  mutating func advance(count: UInt64, isInRun: Bool, at now: MonotonicTime) -> Duration {
    if count != lastCount ?? 0 {
      earlier = .zero
      since = now
    }
    lastCount = count
    if isInRun {
      if since == nil { since = now }
    } else if let start = since {
      earlier += max(.zero, now - start)
      since = nil
    }
    return earlier + (since.map { max(.zero, now - $0) } ?? .zero)
  }
}

/// Whether a breach lasts: what returns within ten minutes of its end is the same incident.
struct IncidentState: Sendable, Equatable {
  /// How long a breach must be over until its incident is.
  static let quietPeriod = Duration.minutes(10)

  enum Change: Sendable, Equatable {
    case opened
    case closed
  }

  /// The start of the incident; `nil` while none lasts.
  private(set) var startedAt: WallTime?
  /// When the breach ended; the incident waits for it to return.
  private(set) var endedAt: WallTime?

  init() {}

  /// Restores an incident as it was stored.
  init(startedAt: WallTime?, endedAt: WallTime?, isOver: Bool) {
    self.startedAt = isOver ? nil : startedAt
    self.endedAt = isOver ? nil : endedAt
  }

  var isOpen: Bool { startedAt != nil }

  mutating func advance(isBreached: Bool, at now: WallTime) -> Change? {
    // Instants that are to come were noted by a clock that was ahead.
    startedAt = startedAt.map { min($0, now) }
    endedAt = endedAt.map { min($0, now) }
    guard let startedAt else {
      guard isBreached else { return nil }
      self.startedAt = now
      endedAt = nil
      return .opened
    }
    if isBreached {
      endedAt = nil
      return nil
    }
    guard let end = endedAt else {
      endedAt = max(startedAt, now)
      return nil
    }
    guard now - end >= Self.quietPeriod else { return nil }
    self.startedAt = nil
    return .closed
  }
}
