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
  /// So many connections were open when there was no descriptor left for another one. A connection that is closed frees a low
  /// descriptor, so that the next one's says nothing for a while.
  private var ceiling: (connections: Int, until: NIODeadline)?

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

  /// Whether a descriptor is one of those that are kept: fewer where the limit is low, so that some are left for
  /// connections.
  private func isReached(by descriptor: Int32) -> Bool {
    let limit = limit()
    return UInt64(max(0, descriptor)) + min(UInt64(reserved), limit / 8) >= limit
  }

  /// Whether there is no descriptor left for a further connection.
  /// - Parameter connections: those that are open.
  func isShort(for descriptor: Int32, connections: Int, at now: NIODeadline = .now()) -> Bool {
    if let ceiling, now >= ceiling.until { self.ceiling = nil }
    if isReached(by: descriptor) {
      ceiling = (min(connections, ceiling?.connections ?? connections), now + Self.reportInterval)
      recordShortage(at: now)
      return true
    }
    return ceiling.map { connections >= $0.connections } ?? false
  }

  /// There is none left for a connection.
  func recordShortage(at now: NIODeadline = .now()) {
    if let nextReport, now < nextReport { return }
    nextReport = now + Self.reportInterval
    report(limit())
  }

  /// Stops accepting for a while: trying again at once would fail again at once, for as long as somebody waits to be accepted.
  static func pauseAccepting(of listener: any Channel) {
    try? listener.syncOptions?.setOption(.autoRead, value: false)
    listener.eventLoop.scheduleTask(in: pause) {
      try? listener.syncOptions?.setOption(.autoRead, value: true)
    }
  }
}

/// Pauses accepting where the system gives no descriptor. NIO's own `AcceptBackoffHandler` does not: it only puts off the next
/// read, while the failed one stays pending.
final class AcceptPauseHandler: ChannelInboundHandler {
  typealias InboundIn = any Channel

  private let reserve: DescriptorReserve

  init(_ reserve: DescriptorReserve) { self.reserve = reserve }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) else {
      return context.fireErrorCaught(error)
    }
    reserve.recordShortage()
    DescriptorReserve.pauseAccepting(of: context.channel)
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
