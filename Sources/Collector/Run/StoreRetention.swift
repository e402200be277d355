import Configuration
import Measurement
import Store

/// Deletes what retention does not keep, one short step at a time. Confined to the maintenance thread.
struct StoreRetention {
  /// How often marks and sizes are looked at while there is nothing to delete.
  static let interval = Duration.seconds(10)

  private let store: CollectorStore
  private let clock: any HostClock
  private let onLine: (String) -> Void
  private var budget = PruneBudget()
  private var due: MonotonicTime
  /// What the pruning that is under way has come to.
  private var deleted = (rows: 0, samples: 0, pages: 0)

  /// - Parameter onLine: told what was deleted, in words, once a pruning is complete.
  init(store: CollectorStore, clock: any HostClock, onLine: @escaping (String) -> Void) {
    self.store = store
    self.clock = clock
    self.onLine = onLine
    due = clock.monotonicNow()
  }

  /// Looks at the store at the next step, whenever that is.
  mutating func look() { due = clock.monotonicNow() }

  /// Does the next step.
  /// - Returns: whether there is more to do now.
  /// - Throws: the store's error; nothing of the step was deleted.
  mutating func step(_ policy: RetentionPolicy) throws -> Bool {
    let start = clock.monotonicNow()
    guard start >= due else { return false }
    let step = try store.prune(policy, within: budget.time)
    if let forced = step.forcedTo {
      onLine("the store reached maximum_size: notifications planned before \(forced.rfc3339) are deleted")
    }
    if step.held > .zero { budget.note(step.held) }
    deleted.rows += step.rows
    deleted.samples += step.samples
    deleted.pages += step.pages
    guard !step.isMore else { return true }
    if deleted.rows > 0 {
      onLine(
        "retention deleted \(CountText.text(deleted.samples, "notification")) and "
          + "\(CountText.text(deleted.rows - deleted.samples, "other row"))"
          + (deleted.pages > 0 ? ", and gave \(CountText.text(deleted.pages, "page")) back" : ""))
    }
    deleted = (0, 0, 0)
    due = start + Self.interval
    return false
  }
}

extension RetentionPolicy {
  /// What the configuration keeps. What is not forwarded to its fleet stays.
  init(_ configuration: PushscopeConfiguration) {
    self.init(configuration.retention)
    keepsWhatIsNotForwarded = configuration.fleet?.writer != nil
  }

  /// - Parameter configuration: `nil` keeps everything.
  init(_ configuration: RetentionConfiguration?) {
    self = .keepAll
    guard let configuration else { return }
    let ages: [(RetainedKind, Duration?)] = [
      (.samples, configuration.samples), (.receipts, configuration.receipts), (.log, configuration.log),
      (.events, configuration.events), (.clock, configuration.clock), (.path, configuration.path),
      (.findings, configuration.findings), (.rollupSecond, configuration.rollups.second),
      (.rollupMinute, configuration.rollups.minute), (.rollupHour, configuration.rollups.hour),
    ]
    for (kind, age) in ages { self.ages[kind] = age }
    maximumSize = configuration.maximumSize
  }
}
