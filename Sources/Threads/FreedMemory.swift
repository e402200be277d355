import CLinux

/// Memory that was freed stays with the process, and is given back to the kernel once a minute: after a burst a process is as large
/// as what it holds, and not for ever as large as it was at the height of each burst.
public struct FreedMemory {
  public static let interval = Duration.seconds(60)
  private var givenBackAt: Duration?

  public init() {}

  /// Gives freed memory back, if that is due; other threads that allocate may wait meanwhile.
  /// - Parameter now: on the monotonic clock.
  public mutating func giveBack(at now: Duration) {
    if let givenBackAt, now - givenBackAt < Self.interval { return }
    if givenBackAt != nil { clinux_give_back_freed_memory() }
    givenBackAt = now
  }
}
