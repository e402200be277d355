import Glibc

/// The arguments that this process was started with.
public enum ProcessArguments {
  /// All of them, without the program's name.
  ///
  /// Swift's runtime finds them beside the environment's pointers. A preloaded library that calls `setenv` before `main` moves
  /// these, and the runtime has no arguments left: where it and the kernel disagree, the kernel is right.
  public static let all = Array(
    reconciled(runtime: CommandLine.arguments, kernel: contents(of: "/proc/self/cmdline")).dropFirst())

  /// - Parameter kernel: each argument with a zero byte after it; empty where the kernel does not tell.
  static func reconciled(runtime: [String], kernel: [UInt8]) -> [String] {
    guard !kernel.isEmpty else { return runtime }
    let ended = kernel.last == 0 ? kernel.dropLast() : kernel[...]
    return ended.split(separator: 0, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  private static func contents(of path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count == 0 ? bytes : [] }
      bytes += buffer[..<count]
    }
  }
}
