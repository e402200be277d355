import Logging
import Measurement
import Report
import Store
import Synchronization

/// Says in the daemon's log, now and then, at what rate a run's targets were asked to send and do send. It reads the
/// store as any reader does, so what it says is what is recorded.
final class RateProgress: Sendable {
  /// The first line comes early, for those who watch; the others seldom, for those who keep logs.
  private static let first = Duration.seconds(10)
  private static let interval = Duration.seconds(60)

  private let store: String
  private let logger: Logger
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(store: String, logger: Logger) {
    self.store = store
    self.logger = logger
  }

  /// A run has begun.
  func begin(_ run: RunID) {
    let following = Task { [self] in
      var pause = Self.first
      while (try? await Task.sleep(for: pause)) != nil {
        tell(run)
        pause = Self.interval
      }
    }
    task.withLock { task in
      task?.cancel()
      task = following
    }
  }

  /// Whether a run has begun that is not over.
  var isFollowing: Bool { task.withLock { $0 != nil } }

  /// It is over: what it came to.
  func end(_ run: RunID) {
    task.withLock { task in
      task?.cancel()
      task = nil
    }
    tell(run)
  }

  private func tell(_ run: RunID) {
    do {
      let reader = try StoreReader.open(at: store)
      defer { reader.close() }
      for line in try RatesReport.lines(of: run, in: reader) { logger.info("\(line)") }
    } catch {
      logger.warning("the rates of the run cannot be read from the store: \(error)")
    }
  }
}
