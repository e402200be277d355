import Measurement

/// One entry of `objectives:`: what is promised of a target.
public struct ObjectiveConfiguration: Sendable, Hashable, Codable {
  /// What is promised.
  public enum Promise: Sendable, Hashable, Codable {
    /// The least share of what was planned that has a value of the metric of at most `within`, over the window.
    case share(Double, within: Duration, of: Metric, window: Duration)
    /// Receipts, or acceptances where no receipts are expected, are never further apart than this.
    case silence(Duration)
  }

  /// Unique in the file.
  public var name: String
  public var target: String
  public var promise: Promise

  /// Fewer than so many mean intervals without a receipt are no silence: Poisson arrivals have a gap of three in 5 % of cases.
  public static let fewestIntervals = 3

  static let maximumCount = 200
}

extension ObjectiveConfiguration {
  struct Keys: SectionKeys {
    static let title = "objectives"
    let name = Key("name", .text(maximumBytes: 64), required: "name: ios fast", "unique")
    let target = Key("target", .text("a target's name", maximumBytes: 4096), required: "target: ios", "")
    let metric = Key(
      "metric", .choice(among: [Metric.delivery, .shown, .accept, .service]), standard: "by the target",
      "without it `delivery` where receipts are expected, else `accept`")
    let within = Key(
      "within", .duration(in: .milliseconds(1) ... .seconds(7 * 86_400)), required: "within: 2s",
      "limit of the metric")
    let share = Key(
      "share", .parsed("above `0%` and below `100%`", ShareText.parse), required: "share: 99%",
      "of what was planned")
    let window = Key(
      "window", .duration(in: .seconds(3600) ... .seconds(90 * 86_400)), default: .seconds(30 * 86_400),
      "over which the share is promised")
    let silence = Key(
      "silence", .duration(in: .seconds(1) ... .seconds(30 * 86_400)),
      "instead of the four before: never silent for so long; at least three mean intervals of the schedule")
  }

  /// - Parameters:
  ///   - targets: those of the file that could be read.
  ///   - devices: where devices may join, an objective may name one that is not there yet.
  ///   - unread: names of the others, whose own problems are enough.
  init?(
    _ value: YAMLValue, targets: [TargetConfiguration], devices: DevicesConfiguration?, unread: Set<String>
  ) {
    guard let section = value.section(Keys.self) else { return nil }
    let name = section.name
    guard let targetName = section.target, let name else { return nil }
    guard
      let subject = targets.first(where: { $0.name == targetName }).map(Subject.init)
        ?? devices.map({ Subject($0, name: targetName) })
    else {
      if unread.contains(targetName) { return nil }
      section[\.target]?.report(
        "names no target: \(targetName.quoted)",
        remedy: NearestWord.remedy(for: targetName, among: targets.map(\.name), noun: "targets"))
      return nil
    }
    guard
      let promise = section.lacks(\.silence) ? Self.share(section, subject) : Self.silence(section, subject)
    else {
      return nil
    }
    self.init(name: name, target: targetName, promise: promise)
  }

  /// What an objective depends on of its target.
  private struct Subject {
    var name: String
    var expectsReceipts: Bool
    var rate: ArrivalRate

    init(_ target: TargetConfiguration) {
      name = target.name
      expectsReceipts = target.receiptDeadline != nil
      rate = target.schedule.rate
    }

    init(_ devices: DevicesConfiguration, name: String) {
      self.name = name
      // Devices that join report what they receive.
      expectsReceipts = true
      rate = devices.schedule.rate
    }
  }

  private static func share(_ section: Section<Keys>, _ target: Subject) -> Promise? {
    let (within, share, window) = (section.within, section.share, section.window)
    let metric =
      section[\.metric] == nil ? Metric.judged(expectsReceipts: target.expectsReceipts) : section.metric
    if let metric, !metric.isAvailable(expectsReceipts: target.expectsReceipts) {
      section[\.metric]?.report(
        "cannot be \(metric.rawValue): no receipt is expected of target \(target.name.quoted)",
        remedy: "give the target a receipt_deadline, or write metric: accept")
      return nil
    }
    guard let within, let share, let metric else { return nil }
    return .share(share, within: within, of: metric, window: window)
  }

  private static func silence(_ section: Section<Keys>, _ target: Subject) -> Promise? {
    section.exclude(\.silence, with: \.metric, \.within, \.share, \.window)
    guard let silence = section.silence else { return nil }
    let least = Self.leastSilence(rate: target.rate)
    guard silence >= least else {
      section[\.silence]?.report(
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
  static func read(
    _ value: YAMLValue, targets: [TargetConfiguration], devices: DevicesConfiguration?, unread: Set<String>
  ) -> [ObjectiveConfiguration] {
    var objectives: [ObjectiveConfiguration] = []
    let elements = value.sequence() ?? []
    if elements.count > maximumCount {
      value.report("has more than \(maximumCount) objectives", remedy: "keep those that somebody acts on")
    }
    for element in elements.prefix(maximumCount) {
      guard
        let objective = ObjectiveConfiguration(element, targets: targets, devices: devices, unread: unread)
      else { continue }
      if objectives.contains(where: { $0.name == objective.name }) {
        element.report(
          "is another objective named \(objective.name.quoted)", remedy: "give each a name of its own")
      }
      objectives.append(objective)
    }
    return objectives
  }
}
