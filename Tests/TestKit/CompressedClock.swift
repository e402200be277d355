import Foundation
import Glibc

/// A clock that runs several times as fast for the programs that are started with its environment: an hour of theirs takes some
/// minutes. Programs agree about it that were started with the same value, at whatever time.
///
/// Intervals that they measure are as many times longer than they were: what a test says of times is for the wide ones.
public struct CompressedClock: Sendable {
  /// How many seconds of the programs pass in a second.
  public let rate: Int
  private let library: String

  /// Whether there is a compiler for it: Swift's own, or the system's.
  public static let isAvailable = Programs.has("clang") || Programs.has("cc")

  /// Builds the library that is preloaded, from Tests/Support/compressed_clock.c.
  /// - Parameter directory: has the library, for as long as programs are started.
  public init(rate: Int, in directory: TemporaryDirectory) throws {
    self.rate = rate
    library = directory.file("compressed_clock.so")
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let compiled = try Programs.run(
      Programs.find("clang") ?? "cc",
      [
        "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-DRATE=\(rate)",
        "-DORIGIN=\(now.tv_sec * 1_000_000_000 + now.tv_nsec)LL", "-o", library,
        Programs.scripts + "/compressed_clock.c", "-ldl",
      ])
    guard compiled.status == 0 else {
      throw NeverHappened(what: "the clock's library is built", seen: compiled.error)
    }
  }

  public var environment: [String: String] { ["LD_PRELOAD": library] }

  /// Waits until so much has passed for the programs.
  public func wait(_ length: Duration) {
    let (seconds, attoseconds) = (length / rate).components
    usleep(useconds_t(seconds * 1_000_000 + attoseconds / 1_000_000_000_000))
  }
}
