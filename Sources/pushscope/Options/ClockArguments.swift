import ArgumentParser
import Configuration
import Foundation

/// `5s`, `-250ms`: a duration either way.
struct SkewArgument: ExpressibleByArgument {
  var duration: Duration

  init?(argument: String) {
    let isNegative = argument.hasPrefix("-")
    let text = isNegative || argument.hasPrefix("+") ? String(argument.dropFirst()) : argument
    guard let duration = try? DurationText.parse(text) else { return nil }
    self.duration = isNegative ? .zero - duration : duration
  }
}

/// `200ppm`, `-35ppm`: how much faster a clock runs than ours, up to 10 000 ppm.
struct DriftArgument: ExpressibleByArgument {
  var partsPerMillion: Double

  init?(argument: String) {
    let text = argument.hasSuffix("ppm") ? String(argument.dropLast(3)) : argument
    guard let value = Double(text), value.isFinite, abs(value) <= 10_000 else { return nil }
    partsPerMillion = value
  }
}
