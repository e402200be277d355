/// How long before its planned instant a request is given to libcurl. It is held by the cork and leaves at the instant
/// itself, so neither waking up nor libcurl's work (30 µs, cold 150) makes it late.
///
/// The thread is awake meanwhile: for a tenth of its time at most, and at high rates, where there is always something to
/// do, not at all.
enum HeadStart {
  /// - Parameter rate: the target's asked rate.
  /// - Returns: 0 for never.
  static func of(perSecond rate: Double) -> Duration {
    let microseconds = min(250, 100_000 / rate)
    return microseconds < 40 ? .zero : .microseconds(Int64(microseconds))
  }
}
