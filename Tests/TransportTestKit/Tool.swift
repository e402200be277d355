import HTTPTestKit
import TestKit

/// System programs that tests use. Tests whose program is missing are skipped; with CI=true, where the bootstrap has installed
/// all of them, they run and fail.
public enum Tool {
  /// Runs openssl, which must succeed.
  public static func openssl(_ arguments: [String]) throws {
    let outcome = try Programs.run("openssl", arguments)
    guard outcome.status == 0 else { throw NeverHappened(what: "openssl succeeds", seen: outcome.error) }
  }

  public static let hasNghttpd = Programs.has("nghttpd", "openssl")
  public static let hasNginx = Programs.has("nginx", "openssl")
  public static let hasNchan =
    Programs.isContinuousIntegration || (hasNginx && Nginx.has(module: "ngx_nchan_module"))
  public static let hasNghttpx = Programs.has("nghttpx", "openssl")
  public static let hasProsody = Programs.has("prosody") && hasPython("http_ece") && Programs.hasUnifiedPush
  public static let hasPythonH2 = hasPython("h2")
  public static let hasHypercorn = hasPython("hypercorn")
  public static let hasPyJWT = hasPython("jwt")

  private static func hasPython(_ module: String) -> Bool { Programs.has("openssl") && Python.has(module) }
}
