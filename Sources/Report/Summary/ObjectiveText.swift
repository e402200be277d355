import Formats
import Measurement
import Store

/// What the collector's objectives said when they were looked at last.
enum ObjectiveText {
  /// Empty without objectives.
  static func lines(of objectives: [ObjectiveRecord]) -> [String] {
    guard let last = objectives.map(\.evaluatedAt).max() else { return [] }
    var table = TextTable([.init("objective"), .init("target"), .init("promise"), .init("kept"), .init("")])
    for objective in objectives {
      table.append(
        [objective.name, objective.target, promise(objective), kept(objective), verdict(objective)].map {
          EscapedText.make($0)
        })
    }
    return ["objectives, as of \(RunText.time(last)) UTC:"] + table.lines(indent: 2) + [""]
  }

  private static func promise(_ objective: ObjectiveRecord) -> String {
    if let silence = objective.silence { return "silent for less than \(LengthText.given(silence))" }
    return "\(PercentText.given(objective.share ?? 0)) \(objective.metric?.rawValue ?? "") within "
      + "\(LengthText.given(objective.limit ?? 0)) over \(LengthText.given(objective.window ?? 0))"
  }

  private static func kept(_ objective: ObjectiveRecord) -> String {
    if objective.silence != nil { return "silent for \(LengthText.text(objective.quiet))" }
    guard objective.valid > 0, let low = objective.shareLow, let high = objective.shareHigh else {
      return "nothing counted"
    }
    let share = PercentText.fine(Double(objective.good) / Double(objective.valid))
    let span = "\(PercentText.fineNumber(low)) to \(PercentText.fineNumber(high))"
    return "\(share) of \(CountText.grouped(objective.valid)) (\(span))"
  }

  private static func verdict(_ objective: ObjectiveRecord) -> String {
    guard objective.verdict == .breached, let start = objective.breachedAt else {
      return objective.verdict.rawValue
    }
    return "breached since \(RunText.time(start)) UTC"
  }

  static func json(_ objective: ObjectiveRecord) -> JSONValue {
    .object([
      .init("objective", .string(objective.name)),
      .init("target", .string(objective.target)),
      .init("metric", .string(objective.metric?.rawValue)),
      .init("within_us", .integer(objective.limit)),
      .init("share", objective.share.map { .number($0) } ?? .null),
      .init("window_us", .integer(objective.window)),
      .init("silence_us", .integer(objective.silence)),
      .init("verdict", .string(objective.verdict.rawValue)),
      .init("good", .integer(Int64(objective.good))),
      .init("valid", .integer(Int64(objective.valid))),
      .init("share_low", objective.shareLow.map { .number($0) } ?? .null),
      .init("share_high", objective.shareHigh.map { .number($0) } ?? .null),
      .init("quiet_us", objective.silence == nil ? .null : .integer(objective.quiet)),
      .init("breached_at", .string(objective.breachedAt?.rfc3339)),
      .init("ended_at", .string(objective.endedAt?.rfc3339)),
      .init("evaluated_at", .string(objective.evaluatedAt.rfc3339)),
    ])
  }
}
