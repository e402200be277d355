import Measurement

/// The key `path_probe` of a target: how often each HTTP/2 connection is asked for its round trip by PING.
enum PathProbeInterval {
  static let standard = Duration.seconds(10)
  /// A PING each ten seconds is what services take from idle clients without objection.
  private static let shortest = Duration.seconds(10)
  /// The loopback service is ours.
  private static let shortestOnLoopback = Duration.milliseconds(100)
  private static let longest = Duration.seconds(3600)

  /// - Returns: the interval, `.some(nil)` for `off`, and `nil` for a value that was refused.
  static func read(_ value: YAMLValue, of kind: ProviderKind) -> Duration?? {
    let shortest = kind == .loopback ? shortestOnLoopback : shortest
    let remedy =
      "write a duration from \(DurationText.format(shortest)) to \(DurationText.format(longest)), or off"
    return value.parsed { text throws(ValueTextError) -> Duration? in
      if text == "off" { return nil }
      guard let duration = try? DurationText.parse(text) else {
        throw ValueTextError(text, "is neither a duration nor off", remedy: remedy)
      }
      guard (shortest...longest).contains(duration) else {
        throw ValueTextError(text, "is out of range", remedy: remedy)
      }
      return duration
    }
  }
}
