import HTTPTestKit
import TestKit

/// System programs that tests use. Tests whose program is missing are skipped; with CI=true, where the bootstrap has installed
/// all of them, they run and fail.
enum Tool {
  /// Runs openssl, which must succeed.
  static func openssl(_ arguments: [String]) throws {
    let outcome = try Programs.run("openssl", arguments)
    guard outcome.status == 0 else { throw NeverHappened(what: "openssl succeeds", seen: outcome.error) }
  }

  static let hasNghttpd = Programs.has("nghttpd", "openssl")
  static let hasNginx = Programs.has("nginx", "openssl")
  static let hasNchan =
    Programs.isContinuousIntegration || (hasNginx && Nginx.has(module: "ngx_nchan_module"))
  static let hasNghttpx = Programs.has("nghttpx", "openssl")
  static let hasProsody = Programs.has("prosody") && hasPython("http_ece") && Programs.hasUnifiedPush
  static let hasPythonH2 = hasPython("h2")
  static let hasHypercorn = hasPython("hypercorn")
  static let hasPyJWT = hasPython("jwt")

  private static func hasPython(_ module: String) -> Bool { Programs.has("openssl") && Python.has(module) }
}
