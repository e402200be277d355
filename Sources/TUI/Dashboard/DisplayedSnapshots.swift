import ConstraintAnimation
import Measurement

/// Decides which snapshot is on display: the newest, the one of a frozen view, or what a replay knows.
struct DisplayedSnapshots {
  /// The newest snapshot.
  private(set) var latest = Snapshot()
  /// The one on display.
  private(set) var shown = Snapshot()
  /// The newest snapshot of the second run, while two runs are compared.
  private(set) var other = Snapshot()
  private(set) var figures = DisplayedFigures()
  /// What the frozen view was read for.
  private var heldRequest: ReadRequest?

  /// What has arrived.
  enum Arrival {
    /// It is known already.
    case known
    case new
    /// Another file has taken the place of the store.
    case newStore
  }

  mutating func receive(_ snapshot: Snapshot) -> Arrival {
    let arrival: Arrival =
      snapshot.number == latest.number
      ? .known : snapshot.replacements > latest.replacements ? .newStore : .new
    latest = snapshot
    return arrival
  }

  /// - Returns: whether it is new.
  mutating func receiveOther(_ snapshot: Snapshot) -> Bool {
    guard snapshot.number != other.number || snapshot.run?.id != other.run?.id else { return false }
    other = snapshot
    return true
  }

  /// Receives new figures, of the run on display and of the second run; those of a frozen view stay unless they are of another
  /// place.
  /// - Returns: whether they are shown.
  mutating func receive(_ own: WindowFigures?, other: WindowFigures?, isFrozen: Bool) -> Bool {
    var isShown = false
    if let own, !isFrozen || own.order != figures.own?.order || own.run != figures.own?.run {
      figures.own = own
      isShown = true
    }
    if let other {
      figures.other = other
      isShown = true
    }
    return isShown
  }

  /// - Returns: whether they are others than before.
  mutating func receive(_ calendar: CalendarFigures) -> Bool {
    defer { figures.calendar = calendar }
    return calendar != figures.calendar
  }

  /// Whether a frozen view stays as it is: nobody has moved it, or what it was moved to has not been read yet.
  func keepsFrozen(_ request: ReadRequest?) -> Bool {
    latest.condition == .ready && (request == heldRequest || latest.request != request)
  }

  /// Adopts only the lists of the newest snapshot, as far as they are scrolled.
  mutating func adoptLists(_ state: ViewState) {
    if state.lists.events != .end { shown.eventList = latest.eventList }
    if state.lists.log != .end { shown.logList = latest.logList }
  }

  /// Shows the newest snapshot, or what was known at the moment of the replay.
  /// - Parameter window: how long it is.
  /// - Returns: whether another run is on display than before.
  mutating func adopt(_ replay: Replay?, window: Duration) -> Bool {
    let old = shown.run?.id
    if let replay {
      // Two windows, and what is on its way.
      shown = latest.known(at: replay.position, since: replay.position - window * 4)
    } else {
      shown = latest
    }
    return old != nil && latest.run != nil && old != latest.run?.id
  }

  mutating func hold(_ request: ReadRequest?) { heldRequest = request }
}

/// Measures the time by which a replay moves on.
struct ReplayClock {
  /// When the moment of the replay moved last; `nil` while it does not move.
  private var last: MotionTime?

  static let interval = Duration.milliseconds(50)

  mutating func stop() { last = nil }

  /// - Returns: the whole microseconds that have passed since the last step; `nil` when no step is due.
  mutating func step(at time: MotionTime) -> Duration? {
    guard let last else {
      last = time
      return nil
    }
    guard time - last >= Self.interval else { return nil }
    self.last = time
    return .microseconds((time - last).microseconds)
  }

  /// When the next step is due.
  func deadline(at time: MotionTime) -> MotionTime { (last ?? time) + Self.interval }
}

/// What the reader's thread has taken of the runs on display; `nil` before it has.
struct DisplayedFigures: Sendable {
  /// The figures of the run on display.
  var own: WindowFigures?
  /// The figures of the second run.
  var other: WindowFigures?
  /// The hours of the run on display, as they were read last.
  var calendar: CalendarFigures?
}
