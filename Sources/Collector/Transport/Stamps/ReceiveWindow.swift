import Measurement

/// What the kernel said of the unread bytes of a connection just before libcurl was let at them, and the rule by which
/// an answer found among them is stamped.
///
/// The kernel's stamp of the first unread packet is the truth for an answer that came alone. It is too early for one
/// that came later but was read in the same go: behind the rest of an earlier answer, in a burst, or between our look
/// and libcurl's. So it counts only if nothing of that kind can have moved it by more than ``tolerance``:
/// - it is not before the request was sent,
/// - the last unread packet came within the tolerance of the first,
/// - our look and the callback are within the tolerance of each other, so nothing later can have slipped in.
///
/// Otherwise our own clock at the callback counts, which is late by what the loop took to get there, never early. How
/// late we looked does not matter: a thread that was held up still gets the packet's own time.
struct ReceiveWindow: Sendable, Equatable {
  static let tolerance = Duration.microseconds(50)

  /// When we looked.
  var lookedAt: MonotonicTime
  /// The kernel's stamps of the first and the last unread packet; `nil` when it had none.
  var first: MonotonicTime?
  var last: MonotonicTime?

  /// - Parameters:
  ///   - callback: when libcurl handed over the end of the answer's headers.
  ///   - sent: when the request left.
  func stamp(callback: MonotonicTime, sent: MonotonicTime) -> (time: MonotonicTime, source: TimestampSource) {
    guard let first, let last, first >= sent, first <= callback, last - first <= Self.tolerance,
      last >= first,
      callback - lookedAt <= Self.tolerance
    else { return (callback, .callback) }
    return (first, .kernel)
  }
}
