import Measurement

/// A simulated device on another machine: with a clock of its own, and a network between it and everybody else.
public struct RemoteDevice: Sendable, Hashable {
  /// Its clock is so far ahead of this host's when the service starts; negative: behind.
  public var skew: Duration
  /// It runs so many parts per million fast; negative: slow.
  public var drift: Double
  /// How long everything takes to the device: notifications and the collector's answers.
  public var delay: Duration
  /// How long everything takes from the device: questions and receipts.
  public var delayBack: Duration
  /// Each way takes up to so much of its delay longer, drawn anew each time.
  public var jitter: Double

  /// How often it exchanges clocks while it has receipts to post.
  public static let exchangeInterval = Duration.seconds(5)
  /// Exchanges each time: the one that took least tells most.
  public static let exchangesAtOnce = 3

  public init(
    skew: Duration = .zero, drift: Double = 0, delay: Duration = .zero, delayBack: Duration? = nil,
    jitter: Double = 0.25
  ) {
    self.skew = skew
    self.drift = drift
    self.delay = delay
    self.delayBack = delayBack ?? delay
    self.jitter = jitter
  }
}
