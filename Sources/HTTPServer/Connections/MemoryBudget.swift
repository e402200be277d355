import NIOCore
import NIOHPACK
import NIOHTTP1

/// Memory of all connections of a server: unanswered requests and unread responses. Used on the server's event loop.
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

/// Share of one connection in the ``MemoryBudget``.
final class MemoryAccount {
  /// Overhead of a request or response besides its fields and body.
  private static let overhead = 256

  private let budget: MemoryBudget
  /// Bytes of incomplete and unanswered requests.
  private var requests = 0
  /// Bytes of responses that the socket has not accepted.
  private(set) var unread = 0
  /// When the peer last read some of ``unread``, or when it became nonzero.
  private var lastProgress = NIODeadline.now()
  private var isClosed = false

  init(budget: MemoryBudget) {
    self.budget = budget
  }

  /// Time for which the peer has read nothing; `nil` when nothing is unread.
  func stall(at now: NIODeadline) -> TimeAmount? {
    unread > 0 ? now - lastProgress : nil
  }

  /// Reserves memory for a request or a further part of it; false when there is none.
  func reserveRequest(_ bytes: Int) -> Bool {
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

  /// Reserves memory for a response, also beyond the limit, since every request needs a response.
  func reserveAnswer(_ bytes: Int) {
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

  /// Releases everything when the connection is closed.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    budget.change(by: -requests - unread)
    requests = 0
    unread = 0
  }

  /// Size of header fields as in RFC 7541, section 4.1, and of the data with them.
  static func cost(of headers: HPACKHeaders) -> Int {
    headers.reduce(overhead) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
  }

  static func cost(of headers: HTTPHeaders) -> Int {
    headers.reduce(overhead) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
  }
}
