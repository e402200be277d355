import Analysis
import Formats
import Measurement
import Store

/// What would be found of each target: the shortest change of a size, and how long that takes.
public struct PowerTable {
  private let detectors: [DetectorRecord]

  public init(_ detectors: [DetectorRecord]) { self.detectors = detectors }

  private static let ratios = [1.25, 1.5, 2, 4]
  private static let shares = [0.01, 0.05, 0.1]

  private var rows: [(target: String, power: DetectionPower)] {
    detectors.flatMap { detector in
      let name = SeriesName.text(detector.target, detector.variant)
      return (detector.power ?? []).map { (name, $0) }
    }
  }

  public var lines: [String] {
    guard detectors.contains(where: { $0.power != nil }) else {
      return ["not known for this store: a collector notes it while it records"]
    }
    var lines = [
      "The shortest change for the worse that is found in nine of ten cases, and how long after its start."
    ]
    for (isShare, sizes) in [(false, Self.ratios), (true, Self.shares)] {
      let rows = rows.filter { $0.power.isShare == isShare }
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
    return lines
  }

  /// The rate at which a change of a size and length would be found, target by target.
  public func lines(finding size: Double, isShare: Bool, for length: Int64) -> [String] {
    let what = "\(PowerSentence.size(size, isShare: isShare)) for \(LengthText.text(length))"
    let rows = rows.filter { $0.power.isShare == isShare }
    guard !rows.isEmpty else { return ["not known for this store: a collector notes it while it records"] }
    return rows.map { target, power in
      let now = "\(target), \(power.metric): \(what)"
      guard let step = power.shortest(size) else {
        return "\(now) is not found, and no rate can be named yet"
      }
      guard step.length > length else {
        return
          "\(now) is found at the present \(FrequencyText.sentence(power.rate)), \(LengthText.text(step.delay)) after its start"
      }
      // As many notifications have to fall into it.
      let needed = power.rate * Double(step.length) / Double(length)
      return
        "\(now) takes about \(FrequencyText.sentence(needed)); at the present \(FrequencyText.sentence(power.rate)) it has to last \(LengthText.text(step.length))"
    }
  }

  /// What ``lines(finding:isShare:for:)`` says, target by target: whether the change is found at the present rate, and the
  /// rate that it takes; `null` where none can be named.
  public func json(finding size: Double, isShare: Bool, for length: Int64) -> JSONValue {
    let targets = JSONValue.array(
      detectors.flatMap { detector in
        (detector.power ?? []).filter { $0.isShare == isShare }.map { power in
          let step = power.shortest(size)
          let isFound = step.map { $0.length <= length } ?? false
          let needed = step.map { isFound ? power.rate : power.rate * Double($0.length) / Double(length) }
          return .object([
            .init("target", .string(detector.target)),
            .init("variant", detector.variant.isEmpty ? .null : .string(detector.variant)),
            .init("metric", .string(power.metric.rawValue)), .init("size", .number(size)),
            .init("length_us", .integer(length)), .init("rate", .number(power.rate)),
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
