import ArgumentParser
import Configuration
import Measurement
import Store

/// `250ms`, `30s`, `1m30s`, `7d`.
struct DurationArgument: ExpressibleByArgument {
  var duration: Duration

  init?(argument: String) {
    guard let duration = try? DurationText.parse(argument) else { return nil }
    self.duration = duration
  }

  /// Refuses a length of nothing.
  func checkLength(as option: String) throws {
    guard duration > .zero else {
      throw ValidationError("\(option) 0s is too short; give a longer time, like 30s")
    }
  }
}

/// What a run can be called.
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

/// `4/s`, `30/min`.
struct RateArgument: ExpressibleByArgument {
  var rate: ArrivalRate

  init?(argument: String) {
    guard let rate = try? RateText.parse(argument) else { return nil }
    self.rate = rate
  }
}

/// RFC 3339 with or without a zone, a date, or relative to now: `-1h`.
struct TimeArgument {
  var time: WallTime

  static func parse(_ text: String) throws -> TimeArgument {
    do {
      return TimeArgument(time: try TimeText.parse(text, now: SystemClock().wallNow()))
    } catch {
      throw ValidationError(error.message)
    }
  }
}
