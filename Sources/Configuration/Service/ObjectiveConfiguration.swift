import Measurement

/// One entry of `objectives:`: what is promised of a target.
public struct ObjectiveConfiguration: Sendable, Hashable {
  /// What is promised.
  public enum Promise: Sendable, Hashable {
    /// The least share of what was planned that has a value of the metric of at most `within`, over the window.
    case share(Double, within: Duration, of: Metric, window: Duration)
    /// Receipts, or acceptances where no receipts are expected, are never further apart than this.
    case silence(Duration)
  }

  /// Unique in the file.
  public var name: String
  public var target: String
  public var promise: Promise

  public init(name: String, target: String, promise: Promise) {
    self.name = name
    self.target = target
    self.promise = promise
  }

  /// Fewer than so many mean intervals without a receipt are no silence: Poisson arrivals have a gap of three in 5 % of cases.
  public static let fewestIntervals = 3

  private static let keys = ["name", "target", "metric", "within", "share", "window", "silence"]
  private static let standardWindow = Duration.seconds(30 * 86_400)
  static let maximumCount = 200

  /// - Parameters:
  ///   - targets: those of the file that could be read.
  ///   - unread: names of the others, whose own problems are enough.
  init?(_ value: YAMLValue, targets: [TargetConfiguration], unread: Set<String>) {
    guard let map = value.mapping(keys: Self.keys) else { return nil }
    let name = map.required("name", example: "name: ios fast")?.string(maximumBytes: 64)
    guard let targetName = map.required("target", example: "target: ios")?.string(), let name else {
      return nil
    }
    guard let target = targets.first(where: { $0.name == targetName }) else {
      if unread.contains(targetName) { return nil }
      map["target"]?.report(
        "names no target: \(targetName.quoted)",
        remedy: NearestWord.remedy(for: targetName, among: targets.map(\.name), noun: "targets"))
      return nil
    }
    guard let promise = map["silence"] == nil ? Self.share(map, target) : Self.silence(map, target) else {
      return nil
    }
    self.init(name: name, target: targetName, promise: promise)
  }

  private static func share(_ map: YAMLMapping, _ target: TargetConfiguration) -> Promise? {
    let within = map.required("within", example: "within: 2s")?
      .duration(in: .milliseconds(1) ... .seconds(7 * 86_400))
    let share = map.required("share", example: "share: 99%")?.parsed(ShareText.parse)
    let window =
      map["window"].map { $0.duration(in: .seconds(3600) ... .seconds(90 * 86_400)) } ?? standardWindow
    let metric: Metric? =
      if let value = map["metric"] { value.choice(among: [.delivery, .accept, .service]) } else {
        target.receiptDeadline == nil ? .accept : .delivery
      }
    if metric == .delivery, target.receiptDeadline == nil {
      map["metric"]?.report(
        "cannot be delivery: no receipt is expected of target \(target.name.quoted)",
        remedy: "give the target a receipt_deadline, or write metric: accept")
      return nil
    }
    guard let within, let share, let window, let metric else { return nil }
    return .share(share, within: within, of: metric, window: window)
  }

  private static func silence(_ map: YAMLMapping, _ target: TargetConfiguration) -> Promise? {
    for key in ["metric", "within", "share", "window"] { map.exclude("silence", with: key) }
    guard let silence = map["silence"]?.duration(in: .seconds(1) ... .seconds(30 * 86_400)) else {
      return nil
    }
    let least = Self.leastSilence(rate: target.schedule.rate)
    guard silence >= least else {
      map["silence"]?.report(
        "is shorter than \(Self.fewestIntervals) mean intervals of the target's schedule",
        remedy: "write at least \(DurationText.format(least)), or give the target a higher rate")
      return nil
    }
    return .silence(silence)
  }

  /// The shortest silence that means something at a rate, in whole milliseconds.
  public static func leastSilence(rate: ArrivalRate) -> Duration {
    .milliseconds(Int64((rate.meanInterval * Double(fewestIntervals) / 1e6).rounded(.up)))
  }

  /// Reads the section; names are unique.
  static func read(_ value: YAMLValue, targets: [TargetConfiguration], unread: Set<String>)
    -> [ObjectiveConfiguration]
  {
    var objectives: [ObjectiveConfiguration] = []
    let elements = value.sequence() ?? []
    if elements.count > maximumCount {
      value.report("has more than \(maximumCount) objectives", remedy: "keep those that somebody acts on")
    }
    for element in elements.prefix(maximumCount) {
      guard let objective = ObjectiveConfiguration(element, targets: targets, unread: unread) else {
        continue
      }
      if objectives.contains(where: { $0.name == objective.name }) {
        element.report(
          "is another objective named \(objective.name.quoted)", remedy: "give each a name of its own")
      }
      objectives.append(objective)
    }
    return objectives
  }
}
