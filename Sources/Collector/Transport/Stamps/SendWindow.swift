import Measurement

/// The call that released a batch, and the rule by which one of the kernel's stamps says when the batch left.
///
/// The kernel stamps a packet as the driver takes it: some 7 to 20 µs after the release began, all of which is our own
/// host's work and none of it the provider's. A stamp counts only when it lies within the call. One from before is of
/// something else, and one from after it is of a packet that had to wait for the peer's window or in a queue of the
/// host's: it was handed over nevertheless, and that wait is part of what is measured.
struct SendWindow: Sendable, Equatable {
  /// Just before the release.
  var began: MonotonicTime
  /// Just after it.
  var ended: MonotonicTime

  /// - Parameter stamps: the kernel's, of all packets that it told of since the last batch.
  /// - Returns: the first that counts; `nil` when none does, and our own clock has to.
  func departure(among stamps: some Sequence<MonotonicTime>) -> MonotonicTime? {
    stamps.lazy.filter { began <= $0 && $0 <= ended }.min()
  }
}
