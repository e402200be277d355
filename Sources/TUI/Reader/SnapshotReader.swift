import Measurement
import Synchronization
import Threads

/// Reads snapshots on a thread of its own and delivers the newest one, so that neither SQLite nor a slow disk delays the
/// screen.
final class SnapshotReader: Sendable {
  /// Snapshots that were not taken yet.
  struct SnapshotUpdate: Sendable {
    var snapshot: Snapshot?
    /// The snapshot of the second run.
    var second: Snapshot?
    var figures: WindowFigures?
    var secondFigures: WindowFigures?
    var calendar: CalendarFigures?
  }

  private struct Mailbox {
    var news = SnapshotUpdate()
    var order: ReaderOrder
    var isStopping = false
  }

  private let mailbox: Mutex<Mailbox>
  private let wake: WakeSignal
  private let onSnapshot: @Sendable () -> Void
  private let place: DashboardPlace
  private let clock: any HostClock
  private let bootID: String
  private let zone: LocalTime

  /// How often the store is asked while a collector writes.
  private static let liveInterval = Duration.milliseconds(50)
  /// How often it is asked otherwise.
  private static let idleInterval = Duration.milliseconds(200)

  /// - Parameters:
  ///   - zone: of hours and weekdays that notifications are divided by.
  ///   - onSnapshot: called on the reader's thread when there is a new snapshot.
  init(
    place: DashboardPlace, subject: Subject, clock: any HostClock, bootID: String, zone: LocalTime = .utc,
    onSnapshot: @escaping @Sendable () -> Void
  ) throws(DashboardError) {
    self.place = place
    mailbox = Mutex(Mailbox(order: ReaderOrder(subject: subject)))
    self.clock = clock
    (self.bootID, self.zone) = (bootID, zone)
    self.onSnapshot = onSnapshot
    do { wake = try WakeSignal() } catch { throw DashboardError(error) }
  }

  /// The snapshots that came since the last call.
  func drain() -> SnapshotUpdate {
    mailbox.withLock { mailbox in
      defer { mailbox.news = SnapshotUpdate() }
      return mailbox.news
    }
  }

  /// Sets what to read.
  func ask(_ order: ReaderOrder) {
    let isNew = mailbox.withLock { mailbox in
      defer { mailbox.order = order }
      return mailbox.order != order
    }
    if isNew { wake.raise() }
  }

  func start() throws(DashboardError) {
    do {
      try DedicatedThread.start(name: "store reader") { [self] in run() }
    } catch {
      throw DashboardError(error)
    }
  }

  /// Ends the thread after its current read.
  func stop() {
    mailbox.withLock { $0.isStopping = true }
    wake.raise()
  }

  private func run() {
    let first = mailbox.withLock { $0.order }
    var source = SnapshotSource(
      place: place, subject: first.subject, clock: clock, bootID: bootID, zone: zone)
    var second: (run: RunID, source: SnapshotSource)?
    while true {
      let (order, isStopping) = mailbox.withLock { ($0.order, $0.isStopping) }
      if isStopping { return }
      source.follow(order.subject, wantsRuns: order.wantsRuns)
      source.show(order.lists)
      source.show(order.panels)
      source.color(by: order.key)
      var news = SnapshotUpdate(snapshot: source.poll(order.request))
      if let wanted = order.second {
        var other =
          second.flatMap { $0.run == wanted.run ? $0.source : nil }
          ?? SnapshotSource(
            place: place, subject: Subject(run: wanted.run), clock: clock, bootID: bootID, zone: zone)
        second = nil
        other.color(by: order.key)
        news.second = other.poll(wanted.request)
        second = (wanted.run, other)
      } else {
        second = nil
      }
      // Figures come after the snapshot that they are of, so that they do not delay it.
      deliver(news)
      deliver(
        SnapshotUpdate(
          figures: source.figures(order.figures),
          secondFigures: second?.source.figures(order.second?.figures),
          calendar: source.calendar(order.calendar)))
      wake.wait(atMost: source.isReading ? .zero : source.isLive ? Self.liveInterval : Self.idleInterval)
    }
  }

  private func deliver(_ news: SnapshotUpdate) {
    guard
      news.snapshot != nil || news.second != nil || news.figures != nil || news.secondFigures != nil
        || news.calendar != nil
    else { return }
    mailbox.withLock { mailbox in
      if let snapshot = news.snapshot { mailbox.news.snapshot = snapshot }
      if let second = news.second { mailbox.news.second = second }
      if let figures = news.figures { mailbox.news.figures = figures }
      if let figures = news.secondFigures { mailbox.news.secondFigures = figures }
      if let calendar = news.calendar { mailbox.news.calendar = calendar }
    }
    onSnapshot()
  }
}

extension DashboardError {
  init(_ error: ThreadError) { self.init(code: .system, message: error.message, remedy: error.remedy) }
}
