import Configuration
import Foundation
import HTTPServer
import Measurement
import NIOHPACK

/// Access control and request limit of publishers and subscribers.
final class NtfyAccessControl {
  /// Limit of counted addresses; further ones share one bucket.
  private static let capacity = 1024

  private struct Bucket {
    var left: Double
    var at: Duration
  }

  private let username: String
  private let password: String
  private let token: String
  private let limit: SubscriptionBehavior.RequestLimit?
  private var buckets: [String: Bucket] = [:]

  init(
    username: String, password: String, token: String, limit: SubscriptionBehavior.RequestLimit?
  ) {
    self.username = username
    self.password = password
    self.token = token
    self.limit = limit
  }

  /// ntfy's error code; `nil` when access is granted. Credentials are in the header, or base64url-encoded in the
  /// query's `auth`.
  func authorize(_ request: HTTPRequest) -> String? {
    var value = request.headers.first(name: "authorization") ?? ""
    if value.isEmpty, let query = request.query["auth"] {
      let plain = query.replacingOccurrences(of: "=", with: "")
      value = Base64URLText.decode(plain).flatMap { String(data: $0, encoding: .utf8) } ?? "?"
    }
    if value.isEmpty { return "40301" }
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2 else { return "40101" }
    switch parts[0].lowercased() {
    case "bearer": return parts[1] == token ? nil : "40101"
    case "basic":
      guard let data = Data(base64Encoded: String(parts[1])), let text = String(data: data, encoding: .utf8)
      else { return "40101" }
      return text == "\(username):\(password)" || text == ":\(token)" ? nil : "40101"
    default: return "40101"
    }
  }

  /// Takes one request from the address's bucket; false when it is empty.
  func admit(_ context: RequestContext) -> Bool {
    guard let limit else { return true }
    let now = Duration.nanoseconds(context.monotonic.nanoseconds)
    let source = buckets[context.source] != nil || buckets.count < Self.capacity ? context.source : ""
    var bucket = buckets[source] ?? Bucket(left: Double(limit.burst), at: now)
    bucket.left = min(Double(limit.burst), bucket.left + (now - bucket.at) / limit.every)
    bucket.at = now
    let isAdmitted = bucket.left >= 1
    if isAdmitted { bucket.left -= 1 }
    buckets[source] = bucket
    return isAdmitted
  }
}
