import Measurement
import NIOCore
import NIOHTTP2
import NIOSSL

/// All connections of a server: admits, counts, times out and closes them. Lives on the server's event loop.
final class ConnectionTable {
  private enum Entry {
    /// TCP stands, TLS does not yet.
    case handshaking(any Channel, since: NIODeadline)
    case ready(any ConnectionCore, HTTPConnection)
  }

  let limits: HTTPServerLimits
  let clock: any HostClock
  let responder: any HTTPResponder
  let eventLoop: any EventLoop
  private var entries: [Int: Entry] = [:]
  private var lastID = 0
  private var buffered = 0
  private var sweeper: RepeatedTask?
  private var drained: EventLoopPromise<Void>?

  init(
    limits: HTTPServerLimits, clock: any HostClock, responder: any HTTPResponder, eventLoop: any EventLoop
  ) {
    self.limits = limits
    self.clock = clock
    self.responder = responder
    self.eventLoop = eventLoop
  }

  func start() {
    let shortest = min(limits.handshakeTimeout, limits.requestTimeout, limits.idleTimeout)
    let interval = TimeAmount(min(max(shortest / 4, .milliseconds(10)), .seconds(1)))
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    sweeper = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
      bound.value.sweep()
    }
  }

  /// The connection's number, or `nil` when there are too many or the server is closing.
  func admit(_ channel: any Channel) -> Int? {
    guard drained == nil, entries.count < limits.connections else { return nil }
    lastID += 1
    entries[lastID] = .handshaking(channel, since: .now())
    return lastID
  }

  /// TLS stands and its HTTP version is known. Returns the connection as the responder was shown it.
  func ready(
    _ id: Int, core: any ConnectionCore, version: HTTPVersion, channel: any Channel
  ) -> HTTPConnection {
    let certificate = try? channel.pipeline.syncOperations.nioSSL_peerCertificate()
    let connection = HTTPConnection(
      id: id, source: channel.remoteAddress?.ipAddress ?? "", version: version,
      hasCertificate: certificate != nil, core: NIOLoopBound(core, eventLoop: eventLoop))
    entries[id] = .ready(core, connection)
    responder.opened(connection)
    return connection
  }

  func removed(_ id: Int) {
    let entry = entries.removeValue(forKey: id)
    if case .ready(_, let connection) = entry { responder.closed(connection) }
    if entries.isEmpty { drained?.succeed() }
  }

  /// Takes room for part of an unfinished body; false when there is none.
  func reserve(_ bytes: Int) -> Bool {
    guard buffered + bytes <= limits.bufferedBytes else { return false }
    buffered += bytes
    return true
  }

  func release(_ bytes: Int) {
    buffered -= bytes
  }

  /// Says goodbye to all; those still busy after `grace` are cut off. The future succeeds when all are gone.
  func drain(within grace: TimeAmount) -> EventLoopFuture<Void> {
    if let drained { return drained.futureResult }
    sweeper?.cancel()
    let promise = eventLoop.makePromise(of: Void.self)
    drained = promise
    guard !entries.isEmpty else {
      promise.succeed()
      return promise.futureResult
    }
    for entry in entries.values {
      switch entry {
      case .handshaking(let channel, _): channel.close(promise: nil)
      case .ready(let core, _):
        core.finishAll()
        core.goAway(.noError, debugData: nil)
      }
    }
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    let deadline = eventLoop.scheduleTask(in: grace) { bound.value.cutOff() }
    promise.futureResult.whenComplete { _ in deadline.cancel() }
    return promise.futureResult
  }

  private func cutOff() {
    for entry in entries.values {
      switch entry {
      case .handshaking(let channel, _): channel.close(promise: nil)
      case .ready(let core, _): core.disconnect()
      }
    }
  }

  private func sweep() {
    let now = NIODeadline.now()
    let handshake = TimeAmount(limits.handshakeTimeout)
    for entry in entries.values {
      switch entry {
      case .handshaking(let channel, let since):
        if now - since > handshake { channel.close(promise: nil) }
      case .ready(let core, _):
        core.sweep(now: now)
      }
    }
  }
}
