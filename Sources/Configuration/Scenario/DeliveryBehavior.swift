import Measurement

/// Delivery of accepted notifications.
public struct DeliveryBehavior: Sendable, Hashable {
  /// Some notifications are overtaken by later ones.
  public struct Reordering: Sendable, Hashable {
    public var probability: Double
    /// Additional delay of such a notification, so that later ones overtake it.
    public var by: Duration
  }

  /// A device that wakes at intervals: what reaches it asleep is received when it wakes, all at once.
  public struct Sleep: Sendable, Hashable {
    /// The part of each interval that it is asleep, from its start.
    public var length: Duration
    /// Interval between the starts, longer than `length`; the first is at the start of scenario time.
    public var every: Duration

    /// - Returns: `nil` unless there is a rest in which it is awake.
    public init?(length: Duration, every: Duration) {
      guard length > .zero, every > length else { return nil }
      (self.length, self.every) = (length, every)
    }

    /// `time`, or the end of the sleep that contains it.
    public func wake(_ time: Duration) -> Duration {
      ScenarioWindow(from: .zero, length: length, every: every).end(at: time) ?? time
    }
  }

  /// Time from the complete request to the device.
  public var delay = DelayDistribution.none
  /// Share that is never delivered.
  public var lost: Double = 0
  /// Share of the rest that is delivered twice, each time after a delay of its own.
  public var duplicated: Double = 0
  public var reordered: Reordering?
  /// When the device sleeps; `nil`: never.
  public var asleep: Sleep?
  /// Time from the device to the display; `nil`: the device does not report what it shows.
  public var shown: DelayDistribution?
  /// Share of what it receives that it does not show.
  public var unseen: Double = 0
  /// The circumstances that the device reports. While it sleeps, what it slept through says that it was idle, where it reports
  /// anything at all.
  public var context = DeviceContext()
}

/// Keys of `deliveries` that are given, and replace those of a more general section.
public struct DeliveryChanges: Sendable, Hashable {
  public var delay: DelayDistribution?
  public var lost: Double?
  public var duplicated: Double?
  public var reordered: DeliveryBehavior.Reordering?
  public var asleep: DeliveryBehavior.Sleep?
  public var shown: DelayDistribution?
  public var unseen: Double?
  public var context: DeviceContext?
}

extension DeliveryChanges {
  /// What two behaviors differ in, as the second has it.
  init(from base: DeliveryBehavior, to own: DeliveryBehavior) {
    delay = own.delay == base.delay ? nil : own.delay
    lost = own.lost == base.lost ? nil : own.lost
    duplicated = own.duplicated == base.duplicated ? nil : own.duplicated
    reordered = own.reordered == base.reordered ? nil : own.reordered
    asleep = own.asleep == base.asleep ? nil : own.asleep
    shown = own.shown == base.shown ? nil : own.shown
    unseen = own.unseen == base.unseen ? nil : own.unseen
    context = own.context == base.context ? nil : own.context
  }

  func apply(to behavior: inout DeliveryBehavior) {
    behavior.delay = delay ?? behavior.delay
    behavior.lost = lost ?? behavior.lost
    behavior.duplicated = duplicated ?? behavior.duplicated
    behavior.reordered = reordered ?? behavior.reordered
    behavior.asleep = asleep ?? behavior.asleep
    behavior.shown = shown ?? behavior.shown
    behavior.unseen = unseen ?? behavior.unseen
    behavior.context = context ?? behavior.context
  }
}

extension DeliveryChanges {
  init?(_ value: YAMLValue) {
    let keys = ["delay", "lost", "duplicated", "reordered", "asleep", "shown", "unseen", "context"]
    guard let map = value.mapping(keys: keys) else { return nil }
    self.init(
      delay: map["delay"].flatMap { DelayDistribution($0) }, lost: map["lost"]?.fraction(),
      duplicated: map["duplicated"]?.fraction(),
      reordered: map["reordered"].flatMap { DeliveryBehavior.Reordering($0) },
      asleep: map["asleep"].flatMap { DeliveryBehavior.Sleep($0) },
      shown: map["shown"].flatMap { DelayDistribution($0) }, unseen: map["unseen"]?.fraction(),
      context: map["context"].flatMap { DeviceContext($0) })
  }
}

extension DeviceContext {
  /// Reads words of the keys' lists.
  fileprivate init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: DeviceContextKey.allCases.map(\.rawValue)) else { return nil }
    self.init()
    for key in DeviceContextKey.allCases {
      guard let value = map[key.rawValue] else { continue }
      guard let word = key.isFlag ? value.boolean().map(String.init) : value.string() else { return nil }
      guard key.words.isEmpty || key.words.contains(word) else {
        value.report(
          "is \(word.quoted)", remedy: "write one of \(key.words.joined(separator: ", "))")
        return nil
      }
      self[key] = word
    }
  }
}

extension DeliveryBehavior {
  /// Applies the keys that are given.
  mutating func apply(_ value: YAMLValue) { DeliveryChanges(value)?.apply(to: &self) }
}

extension DeliveryBehavior.Reordering {
  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: ["probability", "by"]),
      let share = map.required("probability", example: "probability: 1%"),
      let extra = map.required("by", example: "by: 800ms")
    else { return nil }
    guard let probability = share.fraction(),
      let by = extra.duration(in: .milliseconds(1)...DelayDistribution.longest)
    else { return nil }
    self.init(probability: probability, by: by)
  }
}

extension DeliveryBehavior.Sleep {
  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: ["for", "every"]),
      let sleep = map.required("for", example: "for: 3s"),
      let interval = map.required("every", example: "every: 4s")
    else { return nil }
    let range = Duration.milliseconds(1)...DelayDistribution.longest
    guard let length = sleep.duration(in: range), let every = interval.duration(in: range) else { return nil }
    guard let sleep = Self(length: length, every: every) else {
      interval.report(
        "is not longer than \"for\"",
        remedy: "write more than \(DurationText.format(length)), the rest is awake")
      return nil
    }
    self = sleep
  }
}
