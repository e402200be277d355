import ArgumentParser
import Configuration
import Measurement

/// `250ms`, `30s`, `10m`, `7d`.
struct DurationArgument: ExpressibleByArgument {
  var duration: Duration

  init?(argument: String) {
    guard let duration = try? DurationText.parse(argument) else { return nil }
    self.duration = duration
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

/// RFC 3339, or relative to now: `-1h`.
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
