import Measurement

/// What the kernel said of the unread bytes of a connection just before libcurl was let at them, and the rule by which
/// an answer found among them is stamped.
///
/// The kernel's stamp of the first unread packet is the truth for an answer that came alone. It is too early for one
/// that came later but was read in the same go: behind the rest of an earlier answer, in a burst, or between our look
/// and libcurl's. So it counts only where nothing of that kind can have moved it by much:
/// - it is not before the request was sent,
/// - the last unread packet came within ``spread`` of the first,
/// - libcurl was done with the answer's headers within ``reading`` of our look, so what slipped in behind our look is
///   later by a part of that at most.
///
/// Otherwise our own clock at the callback counts, which is late by what the loop took to get there, never early. How
/// late we looked does not matter: a thread that was held up still gets the packet's own time.
struct ReceiveWindow: Sendable, Equatable {
  static let spread = Duration.microseconds(50)
  /// Reading, decrypting and parsing one answer takes 30 to 80 µs; ten at once are a burst.
  static let reading = Duration.microseconds(250)

  /// When we looked.
  var lookedAt: MonotonicTime
  /// The kernel's stamps of the first and the last unread packet; `nil` when it had none.
  var first: MonotonicTime?
  var last: MonotonicTime?

  /// - Parameters:
  ///   - callback: when libcurl handed over the end of the answer's headers.
  ///   - sent: when the request left.
  func stamp(callback: MonotonicTime, sent: MonotonicTime) -> (time: MonotonicTime, source: TimestampSource) {
    guard let first, let last, first >= sent, first <= callback, last >= first, last - first <= Self.spread,
      callback - lookedAt <= Self.reading
    else { return (callback, .callback) }
    return (first, .kernel)
  }
}
