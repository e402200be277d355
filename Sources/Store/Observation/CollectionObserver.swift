import Measurement

/// Is told what a collector records, as it is committed: for metrics, objectives and alerts.
///
/// The calls between ``opened(_:)`` and ``closing()`` come from the threads that record and send, which wait for them: they
/// must return at once.
public protocol CollectionObserver: Sendable {
  /// Whether it is to be told of commits, connections and interrupted rows, which costs the recorder some time.
  var watchesCommits: Bool { get }
  /// The store is open and recovered, and nothing is sent yet.
  /// - Throws: what keeps the observer from working, which ends the collector.
  func opened(_ store: CollectorStore) async throws
  /// A run is registered.
  func began(_ run: ObservedRun)
  /// Whether notifications can be sent: a run is under way, and its commits succeed.
  func sending(isPossible: Bool)
  /// A batch is committed.
  func committed(_ commit: ObservedCommit)
  /// Connections of the run opened or closed.
  func observed(_ connections: [ObservedConnection])
  /// Rows were settled as interrupted when a run was closed, or when one of a crashed collector was.
  func interrupted(_ rows: [InterruptedRows])
  /// A run is closed; none of its connections and requests remains.
  func ended()
  /// The configuration was read again while the collector runs.
  func reloaded(isSuccessful: Bool)
  /// The store is about to be closed. Returns when the observer uses it no more.
  func closing() async
}

/// An observer ignores what it does not implement.
extension CollectionObserver {
  public var watchesCommits: Bool { true }
  public func opened(_ store: CollectorStore) {}
  public func began(_ run: ObservedRun) {}
  public func sending(isPossible: Bool) {}
  public func committed(_ commit: ObservedCommit) {}
  public func observed(_ connections: [ObservedConnection]) {}
  public func interrupted(_ rows: [InterruptedRows]) {}
  public func ended() {}
  public func reloaded(isSuccessful: Bool) {}
  public func closing() {}
}

/// A run with the names of what its rows refer to by number.
public struct ObservedRun: Sendable, Codable {
  public var id: RunID
  public var targets: [Target]

  /// A target of the run.
  public struct Target: Sendable, Codable {
    public var registration: RegisteredTarget
    /// The names of ``RegisteredTarget/variants``; empty if the target lists none.
    public var variants: [String]
    /// Notifications per second that the schedule asks for.
    public var askedRate: Double
    /// µs from planned; `nil` when no receipt is expected.
    public var receiptDeadline: Int64?

    public init(
      registration: RegisteredTarget, variants: [String], askedRate: Double, receiptDeadline: Int64?
    ) {
      self.registration = registration
      self.variants = variants
      self.askedRate = askedRate
      self.receiptDeadline = receiptDeadline
    }
  }

  public init(id: RunID, targets: [Target]) {
    self.id = id
    self.targets = targets
  }
}

/// What a committed batch changed.
public struct ObservedCommit: Sendable {
  public var changes: [SampleChange]
  /// Newest last.
  public var clockOffsets: [ObservedClockOffset]
  /// TLS handshakes with the receipt listener that have failed since the commit before.
  public var failedHandshakes: [HandshakeFailure: Int]
  public var took: Duration
  /// When it was committed.
  public var at: WallTime

  public init(
    changes: [SampleChange], clockOffsets: [ObservedClockOffset] = [],
    failedHandshakes: [HandshakeFailure: Int] = [:], took: Duration, at: WallTime
  ) {
    self.changes = changes
    self.clockOffsets = clockOffsets
    self.failedHandshakes = failedHandshakes
    self.took = took
    self.at = at
  }
}

/// A notification after a commit, and what of it is new since the one before.
public struct SampleChange: Sendable, Equatable {
  /// Its values that were not known before.
  public struct Values: OptionSet, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let scheduleLag = Values(rawValue: 1)
    /// Only of requests that the provider accepted (``Metric/service``).
    public static let service = Values(rawValue: 2)
    public static let accept = Values(rawValue: 4)
    public static let delivery = Values(rawValue: 8)
    public static let path = Values(rawValue: 16)
    public static let shown = Values(rawValue: 32)
    /// It was not shown by its receipt deadline.
    public static let unseen = Values(rawValue: 64)

    public init(of sample: Sample) {
      self = []
      if sample.scheduleLag != nil { insert(.scheduleLag) }
      if sample.value(of: .service) != nil { insert(.service) }
      if sample.acceptLatency != nil { insert(.accept) }
      if sample.deliveryLatency != nil { insert(.delivery) }
      if sample.path != nil { insert(.path) }
      if sample.shownLatency != nil { insert(.shown) }
      if sample.display == .unseen || sample.display == .shownLate { insert(.unseen) }
    }
  }

  /// What became of its state.
  public enum Verdict: Sendable, Equatable {
    /// No change that counts: it is open, as it was, or was settled by an earlier collector.
    case unchanged
    /// It settled.
    case settled
    /// It had settled since this collector started, as something else.
    case corrected(from: NotificationState)
  }

  public var sample: Sample
  public var notification: NotificationID
  public var verdict: Verdict
  /// Whether its verdict counts: it settled since this collector started.
  public var isCounted: Bool
  public var newValues: Values
  /// Whether it came due: it is no longer only planned, and was so before. A plan that is withdrawn never comes due.
  public var isDue: Bool
  /// Receipts after the first.
  public var newDuplicates: Int
  /// 1 when it was sent and waits for its answer, -1 when it does no longer.
  public var inFlight: Int
  /// Target and variant by name, of a run that this collector did not begin.
  public var origin: Origin?

  /// A target and one of its values, by their names.
  public struct Origin: Sendable, Equatable {
    public var target: String
    public var variant: String

    public init(target: String, variant: String) {
      self.target = target
      self.variant = variant
    }
  }

  public init(
    sample: Sample, notification: NotificationID, verdict: Verdict, isCounted: Bool, newValues: Values,
    isDue: Bool, newDuplicates: Int, inFlight: Int, origin: Origin?
  ) {
    self.sample = sample
    self.notification = notification
    self.verdict = verdict
    self.isCounted = isCounted
    self.newValues = newValues
    self.isDue = isDue
    self.newDuplicates = newDuplicates
    self.inFlight = inFlight
    self.origin = origin
  }
}

/// A connection that opened or closed.
public struct ObservedConnection: Sendable, Equatable {
  public var target: TargetID
  public var connection: Int64
  public var isOpen: Bool
  public var at: WallTime

  public init(target: TargetID, connection: Int64, isOpen: Bool, at: WallTime) {
    self.target = target
    self.connection = connection
    self.isOpen = isOpen
    self.at = at
  }
}

/// How far a device's clock is ahead of this host's, µs.
public struct ObservedClockOffset: Sendable, Equatable {
  public var device: String
  public var offset: Int64

  public init(device: String, offset: Int64) {
    self.device = device
    self.offset = offset
  }
}

/// Rows of one target and variant that were settled as interrupted without an observation of their own.
public struct InterruptedRows: Sendable, Equatable {
  public var target: String
  public var variant: String
  public var count: Int
  /// The number of these rows of which only the plan was known: they came due with this.
  public var onlyPlanned: Int
}
