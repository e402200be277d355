public import Analysis
import Formats
import Measurement
import Store

/// What would be found of each target: the shortest change of a size, and how long that takes.
public struct PowerTable {
  private let series: [WatchedSeries]
  /// Those that a reload removed.
  private let removed: [WatchedSeries]

  public init(_ series: [WatchedSeries]) {
    self.series = series.filter { !$0.isRemoved }
    removed = series.filter(\.isRemoved)
  }

  private var detectors: [DetectorRecord] { series.map(\.detector) }

  private static let ratios = [1.25, 1.5, 2, 4]
  private static let shares = [0.01, 0.05, 0.1]

  private var rows: [(target: String, power: DetectionPower)] {
    detectors.flatMap { detector in
      let name = SeriesName.text(detector.target, detector.variant)
      return (detector.power ?? []).map { (name, $0) }
    }
  }

  public var lines: [String] {
    guard rows.contains(where: { !$0.power.steps.isEmpty }) else { return missing }
    var lines = [
      "The shortest change for the worse that is found in nine of ten cases, and how long after its start."
    ]
    for (isShare, sizes) in [(false, Self.ratios), (true, Self.shares)] {
      let rows = rows.filter { $0.power.isShare == isShare && !$0.power.steps.isEmpty }
      guard !rows.isEmpty else { continue }
      var table = TextTable(
        [.init("target"), .init("metric"), .init("notifications", .right)]
          + sizes.map { .init(PowerSentence.size($0, isShare: isShare), .right) })
      for (target, power) in rows {
        table.append(
          [target, power.metric.rawValue, FrequencyText.text(power.rate)]
            + sizes.map { size in
              power.shortest(size).map { "\(LengthText.text($0.length)), after \(LengthText.text($0.delay))" }
                ?? "not found"
            })
      }
      lines += [""] + table.lines()
    }
    let notes = missing + age
    return lines + (notes.isEmpty ? [] : [""] + notes)
  }

  /// That young series find more with time; empty where there are none.
  private var age: [String] {
    let young = detectors.filter { $0.learning != nil && $0.power?.contains { !$0.steps.isEmpty } ?? false }
    guard let least = young.map(\.age).min() else { return [] }
    return [
      "A change has to fit into what is recorded, which is \(LengthText.text(least)) so far; smaller ones are found once more is recorded, most of them after two days."
    ]
  }

  // MARK: - What is missing

  /// What is missing where nothing can be said of a series' latencies or shares, a line each: how much more has to be recorded, or
  /// why more does not help.
  private func missing(isShare: Bool) -> [String] {
    guard !series.isEmpty || !removed.isEmpty else {
      return ["no collector has watched these targets for changes"]
    }
    return removed.map { "\(Self.name(of: $0)): nothing any more, since a reload removed it" }
      + series.flatMap { missing(isShare: isShare, of: $0) }
  }

  private static func name(of one: WatchedSeries) -> String {
    EscapedText.make(SeriesName.text(one.detector.target, one.detector.variant))
  }

  private func missing(isShare: Bool, of one: WatchedSeries) -> [String] {
    let name = Self.name(of: one)
    guard let power = one.detector.power?.filter({ $0.isShare == isShare }) else {
      return ["\(name): not known, since only collectors of older versions have recorded it"]
    }
    let blind = power.filter(\.steps.isEmpty)
    // Later changes are compared with as much as that.
    if one.isTooShort, blind.count == power.count {
      let needed = one.warmUp * 2
      return [
        "\(name): nothing yet, since the outcome of \(LengthText.text(one.age)) is known, and it takes "
          + "\(LengthText.text(needed)); record for \(LengthText.text(needed - one.age)) more"
      ]
    }
    guard !power.isEmpty else {
      return [
        "\(name): too little is recorded yet to judge \(isShare ? "losses, failures and refusals" : "arrivals and answers")"
      ]
    }
    return blind.map { power in
      power.isFollowed == true
        ? "\(name), \(power.metric): not now, while a change of it goes on (pushscope findings)"
        : "\(name), \(power.metric): nothing can be promised now, since what is recorded is too little, or varies too much"
    }
  }

  /// The same of both, each line once; where one of the two is missing it is said which.
  private var missing: [String] {
    let (latencies, shares) = (missing(isShare: false), missing(isShare: true))
    return latencies.map { shares.contains($0) ? $0 : Self.named($0, isShare: false) }
      + shares.filter { !latencies.contains($0) }.map { Self.named($0, isShare: true) }
  }

  private static func named(_ line: String, isShare: Bool) -> String {
    line.replacing(
      ": nothing yet",
      with: ", \(isShare ? "losses, failures and refusals" : "arrivals and answers"): nothing yet")
  }

  /// The rate at which a change of a size and length would be found, target by target.
  public func lines(finding size: Double, isShare: Bool, for length: Duration) -> [String] {
    let what = "\(PowerSentence.size(size, isShare: isShare)) for \(LengthText.text(length.microseconds))"
    let rows = rows.filter { $0.power.isShare == isShare }
    let blind = missing(isShare: isShare)
    return rows.filter { !$0.power.steps.isEmpty }.map { target, power in
      let now = "\(target), \(power.metric): \(what)"
      guard let step = power.shortest(size) else {
        return "\(now) is not found\(lack(target, isShare: isShare, for: length))"
      }
      guard step.length > length.microseconds else {
        return
          "\(now) is found at the present \(FrequencyText.sentence(power.rate)), \(LengthText.text(step.delay)) after its start"
      }
      // As many notifications have to fall into it.
      let needed = power.rate * Double(step.length) / Double(length.microseconds)
      return
        "\(now) takes about \(FrequencyText.sentence(needed)); at the present \(FrequencyText.sentence(power.rate)) it has to last \(LengthText.text(step.length))"
    } + blind
  }

  /// Why a change is not found of which no rate can be named, of a young series: what is recorded is shorter than it, or too little
  /// to tell it from chance.
  private func lack(_ target: String, isShare: Bool, for length: Duration) -> String {
    let one = series.first { SeriesName.text($0.detector.target, $0.detector.variant) == target }
    guard let one, one.detector.learning != nil else { return " at any length" }
    let age = LengthText.text(one.age)
    return length > one.age
      ? ": only \(age) are recorded so far, and such a change has to fit in; record for \(LengthText.text(length - one.age)) more"
      : " yet: \(age) are recorded, which is too little to tell it from chance"
  }

  /// What ``lines(finding:isShare:for:)`` says, target by target: whether the change is found at the present rate, and the
  /// rate that it takes; `null` where none can be named.
  public func json(finding size: Double, isShare: Bool, for length: Duration) -> JSONValue {
    let targets = JSONValue.array(
      detectors.flatMap { detector in
        (detector.power ?? []).filter { $0.isShare == isShare }.map { power in
          let step = power.shortest(size)
          let isFound = step.map { $0.length <= length.microseconds } ?? false
          let needed = step.map {
            isFound ? power.rate : power.rate * Double($0.length) / Double(length.microseconds)
          }
          return .object([
            .init("target", .string(detector.target)),
            .init("variant", detector.variant.isEmpty ? .null : .string(detector.variant)),
            .init("metric", .string(power.metric.rawValue)), .init("size", .number(size)),
            .init("length_us", .integer(length.microseconds)), .init("rate", .number(power.rate)),
            .init("found", .boolean(isFound)),
            .init("delay_us", isFound ? .integer(step?.delay) : .null),
            .init("shortest_us", .integer(step?.length)),
            .init("needed_rate", needed.map { .number($0) } ?? .null),
          ])
        }
      })
    return .object([.init("find", targets)])
  }

  /// All lengths, target by target.
  public var json: JSONValue {
    let targets = JSONValue.array(
      detectors.map { detector in
        .object([
          .init("target", .string(detector.target)),
          .init("variant", detector.variant.isEmpty ? .null : .string(detector.variant)),
          .init(
            "power",
            detector.power.map { powers in
              .array(
                powers.map { power in
                  .object([
                    .init("metric", .string(power.metric.rawValue)), .init("rate", .number(power.rate)),
                    .init("followed", power.isFollowed.map { .boolean($0) } ?? .null),
                    .init(
                      "steps",
                      .array(
                        power.steps.map {
                          .object([
                            .init("length_us", .integer($0.length)), .init("size", .number($0.size)),
                            .init("delay_us", .integer($0.delay)),
                          ])
                        })),
                  ])
                })
            } ?? .null),
        ])
      })
    return .object([.init("power", targets)])
  }
}
