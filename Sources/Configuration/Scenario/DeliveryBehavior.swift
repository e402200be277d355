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
}

/// Keys of `deliveries` that are given, and replace those of a more general section.
public struct DeliveryChanges: Sendable, Hashable {
  public var delay: DelayDistribution?
  public var lost: Double?
  public var duplicated: Double?
  public var reordered: DeliveryBehavior.Reordering?
  public var asleep: DeliveryBehavior.Sleep?
}

extension DeliveryChanges {
  /// What two behaviors differ in, as the second has it.
  init(from base: DeliveryBehavior, to own: DeliveryBehavior) {
    delay = own.delay == base.delay ? nil : own.delay
    lost = own.lost == base.lost ? nil : own.lost
    duplicated = own.duplicated == base.duplicated ? nil : own.duplicated
    reordered = own.reordered == base.reordered ? nil : own.reordered
    asleep = own.asleep == base.asleep ? nil : own.asleep
  }

  func apply(to behavior: inout DeliveryBehavior) {
    behavior.delay = delay ?? behavior.delay
    behavior.lost = lost ?? behavior.lost
    behavior.duplicated = duplicated ?? behavior.duplicated
    behavior.reordered = reordered ?? behavior.reordered
    behavior.asleep = asleep ?? behavior.asleep
  }
}

extension DeliveryChanges {
  init?(_ value: YAMLValue) {
    let keys = ["delay", "lost", "duplicated", "reordered", "asleep"]
    guard let map = value.mapping(keys: keys) else { return nil }
    self.init(
      delay: map["delay"].flatMap { DelayDistribution($0) }, lost: map["lost"]?.fraction(),
      duplicated: map["duplicated"]?.fraction(),
      reordered: map["reordered"].flatMap { DeliveryBehavior.Reordering($0) },
      asleep: map["asleep"].flatMap { DeliveryBehavior.Sleep($0) })
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
    guard every > length else {
      interval.report(
        "is not longer than \"for\"",
        remedy: "write more than \(DurationText.format(length)), the rest is awake")
      return nil
    }
    self.init(length: length, every: every)
  }
}
