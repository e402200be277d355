import Glibc
import Measurement
import NIOCore
import Threads

/// Keeps descriptors for the rest of the process: connections of strangers must not use up those for files and for connections of
/// our own. Used on the server's event loop.
///
/// A descriptor is the lowest number that is free. One among the last of the limit therefore says that all before it are in use.
final class DescriptorReserve {
  /// The shortest time between two reports.
  private static let reportInterval = TimeAmount.minutes(1)
  /// How long nothing is accepted when there is none left.
  private static let pause = TimeAmount.seconds(1)

  private let reserved: Int
  private let limit: () -> UInt64
  private let report: (_ limit: UInt64) -> Void
  private var nextReport: NIODeadline?

  /// - Parameters:
  ///   - reserved: descriptors for the rest of the process.
  ///   - report: told the limit when there is none left for connections, at most once a minute.
  init(
    _ reserved: Int, limit: @escaping () -> UInt64 = { DescriptorLimit.current },
    report: @escaping (_ limit: UInt64) -> Void
  ) {
    self.reserved = reserved
    self.limit = limit
    self.report = report
  }

  /// Whether a connection's descriptor is one of those that are kept: fewer where the limit is low, so that some are left for
  /// connections.
  func isReached(by descriptor: Int32) -> Bool {
    let limit = limit()
    return UInt64(max(0, descriptor)) + min(UInt64(reserved), limit / 8) >= limit
  }

  /// There is none left for a connection.
  func noteShortage(at now: NIODeadline = .now()) {
    if let nextReport, now < nextReport { return }
    nextReport = now + Self.reportInterval
    report(limit())
  }

  /// Ends a pause of accepting after a while, and begins one where the system gives no descriptor: trying again at once would fail
  /// again at once, for as long as somebody waits to be accepted.
  func makeBackoff() -> AcceptBackoffHandler {
    AcceptBackoffHandler(shouldForwardIOErrorCaught: false) { [self] error in
      guard [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) else { return nil }
      noteShortage()
      return Self.pause
    }
  }

  /// Begins a pause of accepting.
  static func pauseAccepting(of connection: any Channel) {
    connection.parent?.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "no descriptors are left"))
  }
}

extension HTTPServerConfiguration {
  /// The words of a report of ``onShortage``, for a log.
  /// - Parameter limit: of descriptors.
  public static func shortageWords(_ what: String, limit: UInt64) -> String {
    "\(what): no more connections are accepted, because this process has nearly all of the \(limit) files and connections open "
      + "that it may have; raise the limit (LimitNOFILE= in a unit, ulimit -n in a shell), or see who holds connections"
  }
}
