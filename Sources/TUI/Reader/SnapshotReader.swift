import Measurement
import Synchronization

/// Reads snapshots on a thread of its own and hands over the newest one, so that neither SQLite nor a slow disk ever
/// holds up the screen.
final class SnapshotReader: Sendable {
  private struct Mailbox {
    var latest: Snapshot?
    var request: ReadRequest?
    var isStopping = false
  }

  private let mailbox = Mutex(Mailbox())
  private let alarm: Alarm
  private let onSnapshot: @Sendable () -> Void
  private let subject: Subject
  private let path: String
  private let clock: any HostClock
  private let bootID: String

  /// How often the store is asked while a collector writes, ms.
  private static let livePatience: Int32 = 50
  /// How often when nothing happens.
  private static let idlePatience: Int32 = 200

  /// - Parameter onSnapshot: called on the reader's thread when there is a new one to take.
  init(
    path: String, subject: Subject, clock: any HostClock, bootID: String,
    onSnapshot: @escaping @Sendable () -> Void
  ) throws(DashboardError) {
    self.path = path
    self.subject = subject
    self.clock = clock
    self.bootID = bootID
    self.onSnapshot = onSnapshot
    alarm = try Alarm()
  }

  /// The newest snapshot that was not taken yet.
  func take() -> Snapshot? {
    mailbox.withLock { mailbox in
      defer { mailbox.latest = nil }
      return mailbox.latest
    }
  }

  /// Says what the picture needs.
  func ask(_ request: ReadRequest?) {
    let isNew = mailbox.withLock { mailbox in
      defer { mailbox.request = request }
      return mailbox.request != request
    }
    if isNew { alarm.ring() }
  }

  func start() throws(DashboardError) { try WorkerThread.start { [self] in run() } }

  /// Has the thread end after what it is doing.
  func stop() {
    mailbox.withLock { $0.isStopping = true }
    alarm.ring()
  }

  private func run() {
    WorkerThread.setName("store reader")
    var source = SnapshotSource(path: path, subject: subject, clock: clock, bootID: bootID)
    while true {
      let (request, isStopping) = mailbox.withLock { ($0.request, $0.isStopping) }
      if isStopping { return }
      if let snapshot = source.poll(request) {
        mailbox.withLock { $0.latest = snapshot }
        onSnapshot()
      }
      alarm.wait(milliseconds: source.isLive ? Self.livePatience : Self.idlePatience)
    }
  }
}
