import Analysis
import Measurement
import Store

/// Assembles snapshots from what was read of a store, and decides which of them would look different from the last one.
struct SnapshotBuilder {
  /// The kernel's boot id: monotonic times of other boots mean nothing here.
  private let bootID: String
  /// The last snapshot.
  private(set) var last = Snapshot()

  /// How often pending notifications are drawn anew because they have aged.
  static let agingInterval = Duration.milliseconds(100)

  init(bootID: String) { self.bootID = bootID }

  /// Whether the last snapshot shows a run that the collector writes.
  var isLive: Bool { last.condition == .ready && (last.run?.isLive ?? false) }

  /// - Parameters:
  ///   - run: the run on display; `nil` before one was read.
  ///   - tick: time after which the same data look different.
  ///   - now: on the wall clock.
  ///   - monotonicNow: the same instant on the monotonic clock.
  /// - Returns: a snapshot when it would look different from the last one, else `nil`.
  mutating func build(
    _ content: DashboardContent, run: RunRecord?, tick: Duration?, now: WallTime, monotonicNow: MonotonicTime
  ) -> Snapshot? {
    var next = last
    next.read = content
    if let run {
      // Nothing is heard of a collector where nothing can be read.
      next.run = DisplayedRun(run, at: content.interruption?.since ?? now)
      next.monotonicNow = run.bootID == bootID ? monotonicNow : nil
    }
    guard last.number == 0 || content != last.read || looksDifferent(next, at: now, tick: tick) else {
      return nil
    }
    next.now = now
    next.rates = next.tracks.map { RateHistory(of: $0, until: next.edge) }
    next.number += 1
    last = next
    return next
  }

  /// Whether time alone makes a difference.
  private func looksDifferent(_ next: Snapshot, at now: WallTime, tick: Duration?) -> Bool {
    guard next.condition == .ready else { return false }
    guard next.run == last.run, next.silences(at: now) == next.silences(at: last.now) else { return true }
    switch next.run?.phase {
    case .live:
      // The newest edge has moved by a column, or pending notifications have aged.
      let tick = max(.microseconds(1), tick ?? .seconds(1))
      let isPending = next.totals.contains { $0[.inFlight] > 0 }
      return now.floored(to: tick) != last.now.floored(to: tick)
        || isPending && now - last.now >= Self.agingInterval
    case .silent, .ended, nil:
      return false
    }
  }
}

/// Turns a store into snapshots: a follower that reads and a builder that assembles.
struct SnapshotSource {
  private var follower: StoreFollower
  private var builder: SnapshotBuilder
  private let clock: any HostClock

  init(
    place: DashboardPlace, subject: Subject, clock: any HostClock, bootID: String,
    capacity: Int = PointWindow.capacity, zone: LocalTime = .utc
  ) {
    self.clock = clock
    follower = StoreFollower(place: place, subject: subject, clock: clock, capacity: capacity, zone: zone)
    builder = SnapshotBuilder(bootID: bootID)
  }

  /// Sets the run to follow, and whether the list of all runs is wanted.
  mutating func follow(_ subject: Subject, wantsRuns: Bool) {
    follower.follow(subject, wantsRuns: wantsRuns)
  }

  /// Sets the parts of the events and log lines that are wanted.
  mutating func show(_ lists: ListsPlace) { follower.show(lists) }

  /// Sets the key that plots are colored by; `nil` for none.
  mutating func color(by key: BreakdownKey?) { follower.color(by: key) }

  /// Sets what the panels show.
  mutating func show(_ panels: PanelOrder) { follower.show(panels) }

  /// - Returns: a snapshot when it would look different from the last one, else `nil`.
  mutating func poll(_ request: ReadRequest?) -> Snapshot? {
    builder.build(
      follower.poll(request), run: follower.run, tick: request?.tick, now: clock.wallNow(),
      monotonicNow: clock.monotonicNow())
  }

  /// Computes the figures of what the last snapshot shows.
  /// - Returns: `nil` when they are the same as before, or must wait.
  mutating func figures(_ order: FiguresOrder?) -> WindowFigures? {
    order.flatMap { follower.readFigures($0, of: builder.last) }
  }

  /// Reads the hours of the run, as the store has summed them up.
  /// - Returns: `nil` when they are the same as before, or were read within the last minute.
  mutating func calendar(_ order: CalendarOrder?) -> CalendarFigures? {
    order.flatMap { follower.readCalendar($0, of: builder.last) }
  }

  /// Whether there is more to read at once.
  var isReading: Bool { follower.isReading }

  /// Whether the collector writes, so that the next poll should follow soon.
  var isLive: Bool { builder.isLive }
}
