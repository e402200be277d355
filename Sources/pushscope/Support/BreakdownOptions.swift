import Analysis
import ArgumentParser
import Foundation
import Glibc
import Measurement
import Report

/// How notifications are divided with `--by`.
struct BreakdownOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "With --by a key: what counts as in time. Default: the limit of the targets' objective, else their receipt_deadline.",
      valueName: "duration"),
    transform: DurationArgument.parse)
  var within: DurationArgument?

  @OptionGroup var zone: ZoneOption

  func plan(_ keys: [BreakdownKey], _ method: IntervalMethod) throws -> BreakdownReport.Plan {
    BreakdownReport.Plan(try zone.keys(keys), within: within?.duration, method: method)
  }

  /// Refuses options that have no meaning without keys.
  func checkUnused() throws {
    guard within == nil else {
      throw ValidationError("--within belongs to --by with a key; give one of \(BreakdownKey.names)")
    }
    try zone.checkUnused()
  }
}

/// The time zone of keys that are times of the day.
struct ZoneOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "With --by hour, weekday or minute: the time zone. Default: UTC.", valueName: "name"),
    transform: ZoneArgument.parse)
  var zone: ZoneArgument?

  func keys(_ keys: [BreakdownKey]) throws -> BreakdownKeys {
    if zone != nil, !keys.contains(where: \.isOfDay) {
      throw ValidationError("--zone is the time zone of hours, weekdays and minutes; give --by hour")
    }
    return BreakdownKeys(keys, zone: zone?.zone() ?? .utc, zoneName: zone?.name ?? "UTC")
  }

  /// Refuses the option without keys.
  func checkUnused() throws {
    guard zone == nil else {
      throw ValidationError("--zone belongs to --by with a key; give one of \(BreakdownKey.names)")
    }
  }
}

/// `Europe/Berlin`: a zone of the system's database.
struct ZoneArgument {
  var name: String

  private static let directory = "/usr/share/zoneinfo"

  static func parse(_ text: String) throws -> ZoneArgument {
    let isName = !text.isEmpty && !text.hasPrefix("/") && !text.split(separator: "/").contains("..")
    var isDirectory: ObjCBool = false
    guard
      text == "UTC"
        || isName && FileManager.default.fileExists(atPath: "\(directory)/\(text)", isDirectory: &isDirectory)
          && !isDirectory.boolValue
    else {
      throw ValidationError(
        "\"\(text)\" is not a time zone of this host (\(directory)); give UTC, or a name like Europe/Berlin")
    }
    return ZoneArgument(name: text)
  }

  /// The zone. It becomes the process's.
  func zone() -> LocalTime {
    guard name != "UTC" else { return .utc }
    setenv("TZ", ":\(name)", 1)
    tzset()
    return .system
  }
}
