import CLinux
import Glibc
import Synchronization

/// How many descriptors this process may have open (RLIMIT_NOFILE).
public enum DescriptorLimit {
  /// The kernel's own limit where the hard one is none (`fs.nr_open` by default).
  private static let most: UInt64 = 1 << 20

  private static let beforeRaise = Mutex<UInt64?>(nil)

  /// The soft limit now.
  public static var current: UInt64 { limits.soft }

  /// The soft limit that this process was started with, for programs that it starts: some of them go through all descriptors.
  public static var inherited: UInt64 { beforeRaise.withLock { $0 } ?? current }

  /// Raises the soft limit to the hard one, so that a limit made for programs that call select(2) is not ours.
  public static func raise() {
    beforeRaise.withLock { before in
      let (soft, hard) = limits
      if before == nil { before = soft }
      for limit in [hard, min(hard, most)] where limit > soft {
        if clinux_set_descriptor_limit(limit) == 0 { return }
      }
    }
  }

  /// - Parameters:
  ///   - needed: descriptors, those of peers included.
  ///   - purpose: what needs them, for people.
  /// - Throws: ``DescriptorShortage`` where the limit is lower.
  public static func require(_ needed: Int, for purpose: String) throws(DescriptorShortage) {
    let limit = current
    if limit < UInt64(needed) { throw DescriptorShortage(limit: limit, needed: needed, purpose: purpose) }
  }

  private static var limits: (soft: UInt64, hard: UInt64) {
    var (soft, hard) = (UInt64.max, UInt64.max)
    _ = clinux_descriptor_limit(&soft, &hard)
    return (soft, hard)
  }
}

/// A limit of open descriptors that is too low to work with.
public struct DescriptorShortage: Error, Sendable, Equatable, CustomStringConvertible {
  public var limit: UInt64
  public var needed: Int
  public var purpose: String

  public var description: String {
    "this process may have \(limit) files and connections open, and \(purpose) needs at least \(needed); raise the limit: "
      + "ulimit -n \(needed) in a shell, LimitNOFILE=\(needed) in a unit"
  }
}
