import Glibc
import Logging
import Measurement
import Store
import Threads

/// Reads the store's size, its oldest row and what is not forwarded yet, for the metrics, on a thread and through a connection of
/// its own.
final class StoreFigureWatch: Sendable {
  private let store: CollectorStore
  private let forwards: Bool
  private let metrics: CollectorMetrics
  private let clock: any HostClock
  private let logger: Logger

  private static let interval = Duration.seconds(10)
  private static let longestPause = Duration.minutes(2)

  /// - Parameter forwards: whether rows are forwarded to a fleet.
  init(
    _ store: CollectorStore, forwards: Bool, metrics: CollectorMetrics, clock: any HostClock, logger: Logger
  ) {
    self.store = store
    self.forwards = forwards
    self.metrics = metrics
    self.clock = clock
    self.logger = logger
  }

  func start() throws(ThreadError) -> RoundThread {
    try RoundThread(
      name: "store figures",
      make: { [self] in
        var reader: StoreReader?
        return RoundThread.Work(round: { [self] in
          let open = try reader ?? StoreReader.open(at: store.path)
          reader = open
          let start = clock.monotonicNow()
          try round(open)
          return RoundThread.pause(
            after: clock.monotonicNow() - start, least: Self.interval, most: Self.longestPause)
        })
      },
      onTrouble: { [logger] error in
        if let error {
          logger.error("\(error); the store's figures are read again each second")
        } else {
          logger.notice("the store's figures are read again")
        }
      })
  }

  private func round(_ reader: StoreReader) throws {
    var figures = MetricsState.StoreFigures()
    figures.bytes = ["", "-wal"].reduce(nil) { sum, suffix in
      Self.size(store.path + suffix).map { (sum ?? 0) + $0 } ?? sum
    }
    figures.oldest = try reader.oldestPlannedTime()
    figures.logPinned = store.logPin.map { clock.monotonicNow() - $0.since } ?? .zero
    figures.forwardBacklog = forwards ? try reader.forwardBacklog() : nil
    metrics.update { $0.store = figures }
  }

  private static func size(_ path: String) -> Int64? {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : nil
  }
}
