import NIOCore
import NIOHPACK
import NIOHTTP1

/// What all connections of a server together may hold for their peers: requests until they are answered, answers until
/// the peer has taken them. Lives on the server's event loop.
final class MemoryBudget {
  /// Bytes.
  let limit: Int
  private(set) var used = 0

  init(limit: Int) {
    self.limit = limit
  }

  var isOverdrawn: Bool { used > limit }

  fileprivate func hasRoom(for bytes: Int) -> Bool { used + bytes <= limit }

  fileprivate func change(by bytes: Int) { used += bytes }
}

/// One connection's part of the ``MemoryBudget``.
final class MemoryAccount {
  /// What a request or an answer takes besides its fields and body.
  private static let overhead = 256

  private let budget: MemoryBudget
  /// Requests that are arriving or unanswered.
  private var requests = 0
  /// Answers, or parts of them, that the socket has not taken yet.
  private(set) var unread = 0
  /// When the peer last took something of ``unread``, or when there began to be something.
  private var lastProgress = NIODeadline.now()
  private var isClosed = false

  init(budget: MemoryBudget) {
    self.budget = budget
  }

  /// How long the peer has taken nothing of what waits for it; `nil` when nothing waits.
  func stall(at now: NIODeadline) -> TimeAmount? {
    unread > 0 ? now - lastProgress : nil
  }

  /// Takes room for a request, or a further part of it; false when there is none.
  func takeRequest(_ bytes: Int) -> Bool {
    guard !isClosed, budget.hasRoom(for: bytes) else { return false }
    requests += bytes
    budget.change(by: bytes)
    return true
  }

  func releaseRequest(_ bytes: Int) {
    guard !isClosed else { return }
    requests -= bytes
    budget.change(by: -bytes)
  }

  /// Takes room for an answer, whether or not there is any: somebody has to be told something.
  func takeAnswer(_ bytes: Int) {
    guard !isClosed else { return }
    if unread == 0 { lastProgress = .now() }
    unread += bytes
    budget.change(by: bytes)
  }

  func releaseAnswer(_ bytes: Int) {
    guard !isClosed else { return }
    lastProgress = .now()
    unread -= bytes
    budget.change(by: -bytes)
  }

  /// Gives everything back: the connection is gone, or is being cut.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    budget.change(by: -requests - unread)
    requests = 0
    unread = 0
  }

  /// Bytes for header fields, counted as RFC 7541 section 4.1 does, and what is held along with them.
  static func cost(of headers: HPACKHeaders) -> Int {
    headers.reduce(overhead) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
  }

  static func cost(of headers: HTTPHeaders) -> Int {
    headers.reduce(overhead) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
  }
}
