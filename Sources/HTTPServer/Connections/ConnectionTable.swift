import Measurement
import NIOCore
import NIOHTTP2
import NIOSSL

/// All connections of a server: admission, counts, time-outs, eviction and shutdown. Used on the server's event loop.
final class ConnectionTable {
  private struct Entry {
    let channel: any Channel
    /// Source of the connection, see ``SourceAddress``.
    let source: String
    let since: NIODeadline
    /// The TLS handshake is complete.
    var ready: (core: any ConnectionCore, connection: HTTPConnection)?
    var isAuthenticated = false
  }

  /// A connection with fewer unread bytes is not closed to free memory: its peer may be reading them.
  private static let unreadWorthCutting = 16 * 1024

  let limits: HTTPServerLimits
  let clock: any HostClock
  let responder: any HTTPResponder
  let eventLoop: any EventLoop
  let reserve: DescriptorReserve
  private let budget: MemoryBudget
  private var entries: [Int: Entry] = [:]
  private var lastID = 0
  private var sweeper: RepeatedTask?
  private var drained: EventLoopPromise<Void>?

  init(
    limits: HTTPServerLimits, clock: any HostClock, responder: any HTTPResponder, reserve: DescriptorReserve,
    eventLoop: any EventLoop
  ) {
    self.reserve = reserve
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

  /// The connection's number; `nil` when there are too many connections or the server shuts down.
  func admit(_ channel: any Channel, descriptor: Int32) -> Int? {
    let source = SourceAddress.group(channel.remoteAddress?.ipAddress ?? "")
    let isShort = reserve.isShort(for: descriptor, connections: entries.count)
    guard drained == nil, makeRoom(for: source, isShort: isShort) else {
      if isShort, let listener = channel.parent { DescriptorReserve.pauseAccepting(of: listener) }
      return nil
    }
    lastID += 1
    entries[lastID] = Entry(channel: channel, source: source, since: .now())
    return lastID
  }

  /// Closes a connection when the source or the server has reached its limit, or the process that of descriptors.
  private func makeRoom(for source: String, isShort: Bool) -> Bool {
    var strangers: [String: [Int]] = [:]
    for (id, entry) in entries where !entry.isAuthenticated {
      strangers[entry.source, default: []].append(id)
    }
    if let own = strangers[source], own.count >= limits.unauthenticatedPerSource, let oldest = own.min() {
      evict(oldest)
    }
    guard isShort || entries.count >= limits.connections else { return true }
    // The oldest unauthenticated connection of the source with most of them.
    let crowd = strangers.values.max { ($0.count, $1.min() ?? 0) < ($1.count, $0.min() ?? 0) }
    guard let victim = crowd?.min() ?? longestIdle() else { return false }
    evict(victim)
    return true
  }

  /// The authenticated connection that has been idle longest, if for at least `unauthenticatedIdleTimeout`.
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

  /// Called after the TLS handshake, when the HTTP version is known. Returns the connection for the responder, or `nil`
  /// when it has been evicted.
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

  /// A client's handshake failed, or it rejected the certificate after it. Connections that this server has given up itself
  /// are no failures.
  func handshakeFailed(_ id: Int, _ failure: HandshakeFailure, of channel: any Channel) {
    guard entries[id] != nil, drained == nil else { return }
    responder.handshakeFailed(failure, from: channel.remoteAddress?.ipAddress ?? "")
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

  /// Time-out without an open request.
  func idleTimeout(of id: Int) -> TimeAmount {
    let isAuthenticated = entries[id]?.isAuthenticated ?? false
    return TimeAmount(
      isAuthenticated ? limits.idleTimeout : min(limits.idleTimeout, limits.unauthenticatedIdleTimeout))
  }

  // MARK: Memory

  func makeAccount() -> MemoryAccount { MemoryAccount(budget: budget) }

  /// Reserves memory for a request or a further part of it. Without free memory, connections with unread responses are
  /// closed; false when that is not enough.
  func reserveRequest(_ bytes: Int, _ account: MemoryAccount) -> Bool {
    if account.reserveRequest(bytes) { return true }
    return cutMostUnread() && account.reserveRequest(bytes)
  }

  /// Reserves memory for a response; an overdraft is made up for by closing the connections with most unread data.
  func reserveAnswer(_ bytes: Int, _ account: MemoryAccount) {
    account.reserveAnswer(bytes)
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

  /// Sends GOAWAY to all connections and closes those still busy after `grace`. Succeeds when all are closed.
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

/// Groups addresses by peer.
public enum SourceAddress {
  /// The network of an address, for texts that are kept: a /24, or an IPv6 /56.
  ///
  /// - Parameter address: as ``HTTPConnection/source`` has it.
  public static func network(_ address: String) -> String {
    let source = group(address)
    if address.contains(":"), !source.contains(".") {
      let groups = source.split(separator: ":").map { UInt16($0, radix: 16) ?? 0 }
      guard groups.count == 4 else { return "an unknown address" }
      let kept = groups[..<3] + [groups[3] & 0xFF00]
      return kept.map { String($0, radix: 16) }.joined(separator: ":") + "::/56"
    }
    let parts = source.split(separator: ".")
    return parts.count == 4 ? parts[..<3].joined(separator: ".") + ".0/24" : "an unknown address"
  }

  /// The source of an address: an IPv4 address, also if mapped to IPv6 (`::ffff:192.0.2.1`), or an IPv6 /64, since one
  /// host can use all of its addresses.
  ///
  /// - Parameter address: as ``HTTPConnection/source`` has it.
  public static func group(_ address: String) -> String {
    guard address.contains(":") else { return address }
    let text = address.prefix { $0 != "%" }
    if text.contains("."), let last = text.split(separator: ":").last { return String(last) }
    let gap = text.firstRange(of: "::")
    let head = (gap.map { text[..<$0.lowerBound] } ?? text).split(separator: ":")
    let tail = (gap.map { text[$0.upperBound...] } ?? "").split(separator: ":")
    let zeros = gap == nil ? 0 : max(0, 8 - head.count - tail.count)
    let groups = head + Array(repeating: "0", count: zeros) + tail
    return groups.prefix(4).joined(separator: ":")
  }
}
