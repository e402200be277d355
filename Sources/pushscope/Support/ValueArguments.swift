import Analysis
import ArgumentParser
import Configuration
import Foundation
import Measurement
import Report
import Store

/// The rows of a report: `--run`, `--target`, `--since`, `--until`.
struct SelectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only this run: its UUID, a prefix of it, its name, or latest.", valueName: "run"))
  var run: String?

  @Option(
    name: .customLong("target"), help: ArgumentHelp("Only this target (repeatable).", valueName: "name"))
  var targets: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Planned at or after: a time like 2026-03-01T12:00:00Z, a date (both UTC without a zone), or -1h.",
      valueName: "time"),
    transform: TimeArgument.parse)
  var since: TimeArgument?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Planned before: the same forms, like -5m.", valueName: "time"),
    transform: TimeArgument.parse)
  var until: TimeArgument?

  func validate() throws {
    guard let since, let until, since.time > until.time else { return }
    throw ValidationError(
      "--since \(since.time.rfc3339) is after --until \(until.time.rfc3339); no time is between them")
  }

  /// The newest run where neither a run nor a time is given.
  var orNewestRun: SelectionOptions {
    var options = self
    if run == nil, since == nil, until == nil { options.run = "latest" }
    return options
  }

  /// - Throws: `ReportError` when the run or a target is not in the store.
  func selection(in reader: any SampleSource) throws -> RowSelection {
    let run = try run.map { try RunFinder.find($0, in: reader).id }
    if !targets.isEmpty { try RunFinder.check(targets: Set(targets), of: run, in: reader) }
    return RowSelection(
      run: run, targets: targets.isEmpty ? nil : Set(targets), since: since?.time, until: until?.time)
  }
}

/// How intervals of quantiles and shares are computed: `--independent`.
struct IntervalOptions: ParsableArguments {
  @Flag(
    help: "Take probes for independent of each other, which makes intervals too narrow where they are not.")
  var independent = false

  var method: IntervalMethod { independent ? .independent : .dependent }
}

/// Turns what is wrong with a value, and what to write instead, into an error of the command line.
enum UsageError {
  static func from<Value>(_ parse: () throws -> Value) throws -> Value {
    do {
      return try parse()
    } catch {
      throw ValidationError("\(error)")
    }
  }
}

/// `250ms`, `30s`, `1m30s`, `7d`.
struct DurationArgument {
  var duration: Duration

  static func parse(_ text: String) throws -> DurationArgument {
    try UsageError.from {
      DurationArgument(duration: try DurationText.parse(text))
    }
  }

  /// Refuses less than a microsecond, which is zero to all that counts in them.
  func checkLength(as option: String) throws {
    guard duration.microseconds > 0 else {
      throw ValidationError("\(option) is shorter than 1 µs; give a longer time, like 30s")
    }
  }
}

/// Checks names of runs.
enum RunNameArgument {
  static func check(_ name: String, as option: String) throws {
    guard name != ControlCommand.reservedName else {
      throw ValidationError(
        "\(option) cannot be \(name), which always means the newest run; give another name")
    }
    guard name.utf8.count <= ControlCommand.longestName else {
      throw ValidationError(
        "\(option) has \(name.utf8.count) bytes; give at most \(ControlCommand.longestName)")
    }
  }
}

/// `99%`, `0.999`; `planned`, `accepted`.
enum ShareArgument {
  static func parse(_ text: String) throws -> Double {
    try UsageError.from { try ShareText.parse(text) }
  }

  static func parseBase(_ text: String) throws -> Gate.Base {
    guard let base = Gate.Base(rawValue: text) else {
      throw ValidationError("a share is over planned or accepted, not \"\(text)\"")
    }
    return base
  }
}

/// `10%`, `0%`, `150%`.
enum ToleranceArgument {
  static func parse(_ text: String) throws -> Double {
    try UsageError.from { try ToleranceText.parse(text) }
  }
}

/// `p50`, `p99.9`.
enum QuantileArgument {
  static func parse(_ text: String) throws -> Quantile {
    try UsageError.from { try QuantileText.parse(text) }
  }
}

/// `-2h..-1h`, `2026-03-01..2026-03-02`: from a time to another, which is excluded.
struct TimeRangeArgument {
  var text: String
  var range: Range<WallTime>

  static func parse(_ text: String) throws -> TimeRangeArgument {
    guard let dots = text.firstRange(of: "..") else {
      throw ValidationError(
        "\"\(text)\" is not a stretch of time; write two times with .. between, like -2h..-1h")
    }
    let from = try TimeArgument.parse(String(text[..<dots.lowerBound])).time
    let to = try TimeArgument.parse(String(text[dots.upperBound...])).time
    guard from < to else {
      throw ValidationError("\(text) ends before it begins; write the earlier time first")
    }
    return TimeRangeArgument(text: text, range: from..<to)
  }
}

/// `service`, `accept`, `delivery`.
enum MetricArgument {
  static func parse(_ text: String) throws -> Metric { try parse(text, listing: Metric.allCases) }

  /// One that notifications have, where another is refused with the reason.
  static func parseOfNotifications(_ text: String) throws -> Metric {
    try parse(text, listing: Metric.allCases.filter { $0 != .path })
  }

  private static func parse(_ text: String, listing metrics: [Metric]) throws -> Metric {
    guard let metric = Metric(rawValue: text) else {
      throw ValidationError(
        "there is no metric \"\(text)\"; name one of "
          + metrics.map(\.rawValue).joined(separator: ", "))
    }
    return metric
  }
}

/// `4/s`, `30/min`.
struct RateArgument {
  var rate: ArrivalRate

  static func parse(_ text: String) throws -> RateArgument {
    try UsageError.from { RateArgument(rate: try RateText.parse(text)) }
  }
}

/// RFC 3339 with or without a zone, a date, or relative to now: `-1h`.
struct TimeArgument {
  var time: WallTime

  static func parse(_ text: String) throws -> TimeArgument {
    let now = SystemClock().wallNow()
    return try UsageError.from {
      let time = try TimeText.parse(text, now: now)
      guard text.hasPrefix("-") else { return TimeArgument(time: time) }
      // So long ago is no more exact than a second, and windows of whole seconds can be told from rollups, too.
      let second = RollupSpan.second.microseconds
      return TimeArgument(
        time: WallTime(microseconds: time.microseconds.flooringDivision(by: second) * second))
    }
  }
}

/// `30s/10m`: asleep for the first time of each of the second.
struct SleepArgument {
  var sleep: DeliveryBehavior.Sleep

  static func parse(_ text: String) throws -> SleepArgument {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else {
      throw ValidationError(
        "\"\(text)\" is not a sleep; write how long it sleeps and how often, like 30s/10m")
    }
    let sleep = DeliveryBehavior.Sleep(
      length: try DurationArgument.parse(parts[0]).duration,
      every: try DurationArgument.parse(parts[1]).duration)
    guard let sleep else {
      throw ValidationError("\"\(text)\" leaves no time awake; write a longer second time, like 30s/10m")
    }
    return SleepArgument(sleep: sleep)
  }
}

/// `5s`, `-250ms`: a signed duration.
struct SkewArgument {
  var duration: Duration

  static func parse(_ text: String) throws -> SkewArgument {
    let isNegative = text.hasPrefix("-")
    let length = isNegative || text.hasPrefix("+") ? String(text.dropFirst()) : text
    let duration = try DurationArgument.parse(length).duration
    return SkewArgument(duration: isNegative ? .zero - duration : duration)
  }
}

/// `200ppm`, `-35ppm`: how much faster a clock runs than this host's, up to 10 000 ppm.
struct DriftArgument {
  var partsPerMillion: Double

  static func parse(_ text: String) throws -> DriftArgument {
    let number = text.hasSuffix("ppm") ? String(text.dropLast(3)) : text
    guard let value = Double(number), value.isFinite, abs(value) <= 10_000 else {
      throw ValidationError(
        "\"\(text)\" is not a drift; write at most 10000ppm either way, like 40ppm or -40ppm")
    }
    return DriftArgument(partsPerMillion: value)
  }
}

/// Options that the built-in services have in common.
enum ServiceArguments {
  static func check(port: Int) throws {
    guard (0...65_535).contains(port) else {
      throw ValidationError("--port \(port) is not a port number; give 0 to 65535")
    }
  }

  static func endpoint(receipts: String) throws -> Endpoint {
    do {
      return try Endpoint.parse(receipts)
    } catch {
      throw ValidationError("--receipts: \(error.message)")
    }
  }
}
