import Foundation
import Glibc
import Synchronization

/// A clock of the day that is set while programs run, for those that are started with its environment (Tests/Support/stepped_clock.c).
public final class PreloadedClock: Sendable {
  /// Whether there is a compiler for it: Swift's own, or the system's.
  public static let isAvailable = Programs.has("clang") || Programs.has("cc")

  /// `struct shared_offset`; times in ns.
  private struct Shared {
    var version: UInt64 = 0
    var offset: Int64 = 0
    var former: Int64 = 0
    var changedAt: Int64 = 0
    var asleep: Int64 = 0
    var standsAt: Int64 = 0
  }

  private let library: String
  nonisolated(unsafe) private let shared: UnsafeMutablePointer<Shared>

  /// Builds the library that is preloaded.
  /// - Parameter directory: has it, for as long as programs are started.
  public init(in directory: TemporaryDirectory) throws {
    library = directory.file("stepped_clock.so")
    let file = directory.file("stepped_clock.offset")
    let built = try Programs.run(
      Programs.find("clang") ?? "cc",
      [
        "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-DCLOCK_FILE=\"\(file)\"", "-o", library,
        Programs.scripts + "/stepped_clock.c", "-ldl",
      ])
    guard built.status == 0 else {
      throw NeverHappened(what: "the clock's library is built", seen: built.error)
    }
    let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    let size = MemoryLayout<Shared>.size
    guard descriptor >= 0, ftruncate(descriptor, size) == 0,
      let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), memory != MAP_FAILED
    else { throw NeverHappened(what: file, seen: String(cString: strerror(errno))) }
    close(descriptor)
    shared = memory.bindMemory(to: Shared.self, capacity: 1)
  }

  deinit { munmap(shared, MemoryLayout<Shared>.size) }

  public var environment: [String: String] { ["LD_PRELOAD": library] }

  /// Sets the wall clock forward or back.
  public func step(by seconds: Int) {
    change { $0.offset += Int64(seconds) * 1_000_000_000 }
  }

  /// The host wakes after a suspend: wall clock and CLOCK_BOOTTIME are ahead, CLOCK_MONOTONIC is where it was.
  public func wake(after seconds: Int) {
    change {
      $0.offset += Int64(seconds) * 1_000_000_000
      $0.asleep += Int64(seconds) * 1_000_000_000
    }
  }

  /// CLOCK_MONOTONIC stands still for a while, and goes on as if it had not.
  public func stopMonotonic(for seconds: Double) {
    change { $0.standsAt = Self.read(CLOCK_MONOTONIC) }
    usleep(UInt32(seconds * 1e6))
    change { $0.standsAt = 0 }
  }

  private static func read(_ clock: clockid_t) -> Int64 {
    var now = timespec()
    clock_gettime(clock, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }

  /// Readers that see an odd version read again.
  private func change(_ body: (inout Shared) -> Void) {
    shared.pointee.version += 1
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    let former = shared.pointee.offset
    body(&shared.pointee)
    (shared.pointee.former, shared.pointee.changedAt) = (former, Self.read(CLOCK_REALTIME))
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    shared.pointee.version += 1
  }
}
