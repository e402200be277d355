import Measurement

/// Turns answers that ask for silence into the instant until which nothing is sent, as a value that a clock steps.
struct PauseRule: Sendable {
  let unnamed: UnnamedPause
  /// Unnamed pauses in a row.
  private(set) var repeats = 0
  /// Answers in a row that the receiver is unknown; what else was refused in between does not count.
  private(set) var unknownReceivers = 0
  private(set) var pausedUntil: MonotonicTime?
  private var generator: SeededGenerator

  /// One such answer may be a provider's mistake. After so many in a row the receiver is believed to be gone, and no provider
  /// wants to be asked for it at full rate.
  static let unknownReceiversToPause = 10

  init(unnamed: UnnamedPause, seed: UInt64) {
    self.unnamed = unnamed
    generator = SeededGenerator(seed: seed)
  }

  /// A good answer to something sent after the last pause: all is well again.
  mutating func noteAccepted(sentAt: MonotonicTime) {
    if let pausedUntil, sentAt < pausedUntil { return }
    repeats = 0
    unknownReceivers = 0
  }

  /// An answer that was not good.
  /// - Parameters:
  ///   - named: how long its `Retry-After` asks for; `nil` when it names no time.
  ///   - guess: what the provider's documentation takes for such an answer, if anything.
  ///   - isReceiverUnknown: whether it says that there is nobody to send to.
  ///   - sentAt: when its request left: one that was under way when the pause began says nothing new.
  /// - Returns: until when to be silent; `nil` when it asks for none, or for no more than is kept already.
  mutating func noteRejected(
    status: Int, named: Duration?, guess: Duration? = nil, isReceiverUnknown: Bool = false,
    sentAt: MonotonicTime, answeredAt: MonotonicTime
  ) -> MonotonicTime? {
    if isReceiverUnknown { unknownReceivers += 1 }
    let isReceiverGone = isReceiverUnknown && unknownReceivers >= Self.unknownReceiversToPause
    let until: MonotonicTime
    if let named {
      guard named > .zero else { return nil }
      until = answeredAt + named
    } else {
      guard guess != nil || isReceiverGone || unnamed.statuses.contains(status) else { return nil }
      if let pausedUntil, sentAt < pausedUntil { return nil }
      let first = max(unnamed.first, guess ?? .zero)
      let full = min(unnamed.longest.nanoseconds, first.nanoseconds << Int64(min(repeats, 20)))
      repeats += 1
      until = answeredAt + .nanoseconds(full + Int64(Double(full) / 2 * generator.unit()))
    }
    if let pausedUntil, until <= pausedUntil { return nil }
    pausedUntil = until
    return until
  }
}
