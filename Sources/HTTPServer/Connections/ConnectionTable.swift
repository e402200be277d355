import Measurement
import NIOCore
import NIOHTTP2
import NIOSSL

/// All connections of a server: admits, counts, times out, evicts and closes them. Lives on the server's event loop.
final class ConnectionTable {
  private struct Entry {
    let channel: any Channel
    /// Its peer, as ``SourceAddress`` tells peers apart.
    let source: String
    let since: NIODeadline
    /// TLS stands, not only TCP.
    var ready: (core: any ConnectionCore, connection: HTTPConnection)?
    var isAuthenticated = false
  }

  /// A connection with fewer unread bytes than this is not cut for want of memory: its peer may well be reading them.
  private static let unreadWorthCutting = 16 * 1024

  let limits: HTTPServerLimits
  let clock: any HostClock
  let responder: any HTTPResponder
  let eventLoop: any EventLoop
  private let budget: MemoryBudget
  private var entries: [Int: Entry] = [:]
  private var lastID = 0
  private var sweeper: RepeatedTask?
  private var drained: EventLoopPromise<Void>?

  init(
    limits: HTTPServerLimits, clock: any HostClock, responder: any HTTPResponder, eventLoop: any EventLoop
  ) {
    self.limits = limits
    self.clock = clock
    self.responder = responder
    self.eventLoop = eventLoop
    budget = MemoryBudget(limit: limits.bufferedBytes)
  }

  func start() {
    let shortest = min(
      limits.handshakeTimeout, limits.requestTimeout, limits.writeTimeout, limits.idleTimeout,
      limits.unauthenticatedIdleTimeout)
    let interval = TimeAmount(min(max(shortest / 4, .milliseconds(10)), .seconds(1)))
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    sweeper = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
      bound.value.sweep()
    }
  }

  // MARK: Admission

  /// The connection's number, or `nil` when there are too many or the server is closing.
  func admit(_ channel: any Channel) -> Int? {
    let source = SourceAddress.group(channel.remoteAddress?.ipAddress ?? "")
    guard drained == nil, makeRoom(for: source) else { return nil }
    lastID += 1
    entries[lastID] = Entry(channel: channel, source: source, since: .now())
    return lastID
  }

  /// Evicts a connection when the source has its share already, or the server all that it can have.
  private func makeRoom(for source: String) -> Bool {
    var strangers: [String: [Int]] = [:]
    for (id, entry) in entries where !entry.isAuthenticated {
      strangers[entry.source, default: []].append(id)
    }
    if let own = strangers[source], own.count >= limits.unauthenticatedPerSource, let oldest = own.min() {
      evict(oldest)
    }
    guard entries.count >= limits.connections else { return true }
    // Whoever has most of those that proved nothing gives up the one that had the longest time to do so.
    let crowd = strangers.values.max { ($0.count, $1.min() ?? 0) < ($1.count, $0.min() ?? 0) }
    guard let victim = crowd?.min() ?? longestIdle() else { return false }
    evict(victim)
    return true
  }

  /// The authenticated connection that has had no request for the longest time, if that is as long as strangers get.
  private func longestIdle() -> Int? {
    let now = NIODeadline.now()
    let idle = entries.compactMap { id, entry in entry.ready?.core.idleSince.map { (id: id, since: $0) } }
    let longest = idle.min { $0.since < $1.since }
    return longest.flatMap { now - $0.since > TimeAmount(limits.unauthenticatedIdleTimeout) ? $0.id : nil }
  }

  private func evict(_ id: Int) {
    guard let entry = entries.removeValue(forKey: id) else { return }
    if let (core, connection) = entry.ready {
      core.evict()
      responder.closed(connection)
    } else {
      entry.channel.closeAbruptly()
    }
    finishDrainIfEmpty()
  }

  /// TLS stands and its HTTP version is known. Returns the connection as the responder was shown it, or `nil` when it
  /// has been evicted by now.
  func ready(
    _ id: Int, core: any ConnectionCore, version: HTTPVersion, channel: any Channel
  ) -> HTTPConnection? {
    guard entries[id] != nil else { return nil }
    let certificate = try? channel.pipeline.syncOperations.nioSSL_peerCertificate()
    let connection = HTTPConnection(
      id: id, source: channel.remoteAddress?.ipAddress ?? "", version: version,
      hasCertificate: certificate != nil, core: NIOLoopBound(core, eventLoop: eventLoop))
    entries[id]?.ready = (core, connection)
    responder.opened(connection)
    return connection
  }

  func removed(_ id: Int) {
    if let connection = entries.removeValue(forKey: id)?.ready?.connection { responder.closed(connection) }
    finishDrainIfEmpty()
  }

  private func finishDrainIfEmpty() {
    if entries.isEmpty { drained?.succeed() }
  }

  func setAuthenticated(_ id: Int) {
    entries[id]?.isAuthenticated = true
  }

  /// How long the connection may stay without an open request.
  func idleTimeout(of id: Int) -> TimeAmount {
    let isAuthenticated = entries[id]?.isAuthenticated ?? false
    return TimeAmount(
      isAuthenticated ? limits.idleTimeout : min(limits.idleTimeout, limits.unauthenticatedIdleTimeout))
  }

  // MARK: Memory

  func makeAccount() -> MemoryAccount { MemoryAccount(budget: budget) }

  /// Takes room for a request, or a further part of it. When there is none, connections whose peers leave their
  /// answers unread are cut; false when that did not help.
  func takeRequest(_ bytes: Int, _ account: MemoryAccount) -> Bool {
    if account.takeRequest(bytes) { return true }
    return cutMostUnread() && account.takeRequest(bytes)
  }

  /// Takes room for an answer; what this overdraws is made up for by cutting those who read least.
  func takeAnswer(_ bytes: Int, _ account: MemoryAccount) {
    account.takeAnswer(bytes)
    while budget.isOverdrawn, cutMostUnread() {}
  }

  private func cutMostUnread() -> Bool {
    let unread = entries.compactMap { id, entry in entry.ready.map { (id: id, bytes: $0.core.unreadBytes) } }
    guard let most = unread.max(by: { $0.bytes < $1.bytes }), most.bytes >= Self.unreadWorthCutting else {
      return false
    }
    evict(most.id)
    return true
  }

  // MARK: End

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
      if let core = entry.ready?.core {
        core.finishAll()
        core.goAway(.noError, debugData: nil)
      } else {
        entry.channel.close(promise: nil)
      }
    }
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    let deadline = eventLoop.scheduleTask(in: grace) { bound.value.cutOff() }
    promise.futureResult.whenComplete { _ in deadline.cancel() }
    return promise.futureResult
  }

  private func cutOff() {
    for entry in entries.values {
      if let core = entry.ready?.core { core.disconnect() } else { entry.channel.close(promise: nil) }
    }
  }

  private func sweep() {
    let now = NIODeadline.now()
    let handshake = TimeAmount(limits.handshakeTimeout)
    for entry in entries.values {
      if let core = entry.ready?.core {
        core.sweep(now: now)
      } else if now - entry.since > handshake {
        entry.channel.closeAbruptly()
      }
    }
  }
}
