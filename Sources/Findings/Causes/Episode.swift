import Measurement

/// One notification as the search for a cause looks at it. Times are µs.
public struct EpisodeSample: Sendable, Hashable {
  public var plannedAt: WallTime
  public var state: NotificationState
  /// The HTTP status, when an answer came.
  public var status: Int?
  /// The provider's word, a ``FailureReason`` or a ``MissedReason``.
  public var reason: String?
  /// Planned → sent.
  public var lag: Int64?
  /// Sent → accepted.
  public var service: Int64?
  /// Planned → received; `nil` where only a limit is known.
  public var delivery: Int64?
  /// Received → shown.
  public var displayTime: Int64?
  /// Whether it was shown, where its device reports that.
  public var display: DisplayState?
  /// The circumstances that the device reported.
  public var context: DeviceContext?
  /// Whether it waited for the connection that it went out on to open.
  public var isFresh: Bool

  public init(
    plannedAt: WallTime, state: NotificationState, status: Int? = nil, reason: String? = nil,
    lag: Int64? = nil, service: Int64? = nil, delivery: Int64? = nil, displayTime: Int64? = nil,
    display: DisplayState? = nil, context: DeviceContext? = nil, isFresh: Bool = false
  ) {
    self.context = context
    self.displayTime = displayTime
    self.display = display
    self.plannedAt = plannedAt
    self.state = state
    self.status = status
    self.reason = reason
    self.lag = lag
    self.service = service
    self.delivery = delivery
    self.isFresh = isFresh
  }

  /// - Parameter context: the circumstances whose number the notification has.
  public init(_ sample: Sample, context: DeviceContext? = nil) {
    self.init(
      plannedAt: sample.plannedAt, state: sample.state, status: sample.status, reason: sample.reason,
      lag: sample.scheduleLag, service: sample.serviceTime,
      delivery: sample.deliveryCertainty == .limit ? nil : sample.deliveryLatency,
      displayTime: sample.displayTime, display: sample.display, context: context,
      isFresh: Self.waitedForConnection(sample))
  }

  /// The one that opened a connection, and those that were planned before it stood.
  private static func waitedForConnection(_ sample: Sample) -> Bool {
    guard let connection = sample.connection else { return false }
    // The age is in whole milliseconds, rounded down.
    return connection.isFresh || (sample.scheduleLag ?? 0) > (connection.age + 1) * 1000
  }

  var isAccepted: Bool { state.isAcceptedEnd }
  var isLost: Bool { state.isLost }
  public var isRefused: Bool {
    state == .rejected
      || state == .missed && reason.flatMap(MissedReason.init)?.isRefusal == true
  }
  var isHeldBack: Bool {
    state == .missed && [.lag, .inFlight].contains(reason.flatMap(MissedReason.init))
  }
}

/// A target's part in an episode.
public struct EpisodeTarget: Sendable, Hashable {
  public var name: String
  /// A provider kind at one endpoint.
  public var provider: String
  /// The configured device, else the name in its receipts, else the target's own name.
  public var device: String
  /// Settled notifications of the episode and its baseline, ascending by planned time.
  public var samples: [EpisodeSample]

  public init(name: String, provider: String, device: String, samples: [EpisodeSample]) {
    self.name = name
    self.provider = provider
    self.device = device
    self.samples = samples
  }
}

/// What a search for a cause looks at: the stretch of a finding, one before it without findings, and all targets in both.
public struct Episode: Sendable, Hashable {
  public var window: Range<WallTime>
  public var baseline: Range<WallTime>
  public var targets: [EpisodeTarget]
  /// Round trips of PING per provider, µs, with the time of each; a provider without an entry has none.
  public var pings: [String: [TimedLatency]]

  public init(
    window: Range<WallTime>, baseline: Range<WallTime>, targets: [EpisodeTarget],
    pings: [String: [TimedLatency]] = [:]
  ) {
    self.window = window
    self.baseline = baseline
    self.targets = targets
    self.pings = pings
  }

  /// The part of a finding's stretch that its cause is sought in, and what it is compared with.
  ///
  /// The baseline is the latest stretch before it that suffices: twelve times its length, between half an hour and a day, and at
  /// least twice its length (of a provisional one its length) or a day. Where none is so long, the beginning of the finding is
  /// looked at, as much of it as the longest one suffices for.
  ///
  /// - Parameters:
  ///   - undisturbed: recorded stretches before it without other findings, ascending.
  ///   - shortest: what of the finding has to be looked at at least: as much as raised the alarm.
  /// - Returns: `nil` where there is too little (``UndecidedReason/tooLittleBefore``).
  public static func stretches(
    of finding: Range<WallTime>, shortest: Duration, isProvisional: Bool, undisturbed: [Range<WallTime>]
  ) -> (window: Range<WallTime>, baseline: Range<WallTime>)? {
    func length(_ range: Range<WallTime>) -> Int64 {
      range.upperBound.microseconds - range.lowerBound.microseconds
    }
    let whole = max(1, length(finding))
    let day: Int64 = 86_400_000_000
    func sufficient(_ stretch: Range<WallTime>) -> Int64 {
      length(stretch) >= day ? whole : min(whole, length(stretch) / (isProvisional ? 1 : 2))
    }
    let longest = undisturbed.max { sufficient($0) < sufficient($1) }
    guard let stretch = undisturbed.last(where: { sufficient($0) == whole }) ?? longest,
      sufficient(stretch) >= min(whole, max(1, shortest.microseconds))
    else { return nil }
    let wanted = min(day, max(1_800_000_000, 12 * whole))
    let start = max(
      stretch.lowerBound, WallTime(microseconds: stretch.upperBound.microseconds - wanted))
    return (
      finding.lowerBound..<finding.lowerBound.advanced(byMicroseconds: sufficient(stretch)),
      start..<stretch.upperBound
    )
  }
}
