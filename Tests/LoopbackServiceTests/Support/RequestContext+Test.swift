import Measurement

@testable import LoopbackService

extension RequestContext {
  /// Some instant of 2026, `seconds` later.
  static func test(
    connection: Int = 1, seconds: Double = 0, hasCertificate: Bool = false
  ) -> RequestContext {
    RequestContext(
      connection: connection, source: "127.0.0.1", hasCertificate: hasCertificate,
      now: WallTime(microseconds: 1_780_000_000_000_000 + Int64(seconds * 1e6)),
      monotonic: MonotonicTime(nanoseconds: Int64((1000 + seconds) * 1e9)), time: .seconds(seconds))
  }

  static let start = 1_780_000_000.0
}
