import Foundation
import Glibc
import TestKit
import Testing

/// A network of its own: a loopback interface and nothing else, whose addresses a test chooses, and files that may cover the system's.
/// It lasts as long as this.
final class NetworkNamespace: Sendable {
  /// Whether one can be made: as root, with a kernel that has IPv6. Continuous integration that is root never skips.
  static let isPossible =
    getuid() == 0 && Programs.has("unshare", "nsenter", "ip")
    && (Programs.isContinuousIntegration
      || (try? Programs.run("unshare", ["--net", "--mount", "test", "-e", "/proc/net/if_inet6"]))?.status == 0)

  /// Said where tests are skipped.
  static let reason: Comment = "network namespaces need root, and IPv6"

  /// Keeps the namespace.
  private let holder: RunningProcess

  /// - Parameter setup: commands of a shell in the namespace, which change its addresses and mounts.
  init(_ setup: [String]) throws {
    // A new namespace may have IPv6 switched off, as the one that it comes from.
    let commands =
      [
        "for file in /proc/sys/net/ipv6/conf/*/disable_ipv6; do echo 0 2>/dev/null >$file || true; done",
        "ip link set lo up",
      ] + setup + ["echo ready", "exec cat"]
    holder = try RunningProcess(
      "unshare",
      ["--net", "--mount", "--propagation", "private", "sh", "-ec", commands.joined(separator: "\n")],
      input: .open)
    try holder.waitFor(output: "ready")
  }

  /// Starts a program in it.
  func start(_ program: String, _ arguments: [String]) throws -> RunningProcess {
    try RunningProcess("nsenter", entry(program, arguments))
  }

  /// Runs a program in it to its end.
  @discardableResult
  func run(_ program: String, _ arguments: [String]) throws -> Programs.Outcome {
    try Programs.run("nsenter", entry(program, arguments))
  }

  private func entry(_ program: String, _ arguments: [String]) -> [String] {
    ["--target", "\(holder.pid)", "--net", "--mount", "--", Programs.find(program) ?? program] + arguments
  }
}
