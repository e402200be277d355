import Configuration

/// Which tokens have been seen since when, so that a scenario can revoke all that there are.
struct TokenRegistry {
  /// Beyond this the oldest is forgotten; whoever sends so many tests something else.
  private static let room = 4096

  private let revoked: [Duration]
  private var firstSeen: [String: Duration] = [:]
  private var order: [String] = []

  init(revoked: [Duration]) {
    self.revoked = revoked
  }

  /// Notes a token and says whether the scenario has revoked it since it was first seen.
  mutating func isRevoked(_ token: String, at time: Duration) -> Bool {
    guard !revoked.isEmpty else { return false }
    guard let seen = firstSeen[token] else {
      if order.count >= Self.room { firstSeen[order.removeFirst()] = nil }
      firstSeen[token] = time
      order.append(token)
      return false
    }
    return revoked.contains { seen < $0 && $0 <= time }
  }
}
