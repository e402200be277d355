import Dispatch
import Measurement
import Store
import Synchronization

/// Runs the keeper on a thread of its own for as long as the collector has the store.
final class KeeperThread: Sendable {
  private let isStopping = Mutex(false)
  private let wake = DispatchSemaphore(value: 0)
  private let ended: AsyncStream<Never>

  /// How long to wait after something went wrong.
  private static let retryInterval = Duration.seconds(1)

  /// - Parameters:
  ///   - make: makes the keeper, on its thread.
  ///   - onTrouble: told when a round fails and when one succeeds again (`nil`); on the keeper's thread.
  init(make: @escaping @Sendable () -> Keeper, onTrouble: @escaping @Sendable ((any Error)?) -> Void) {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    ended = stream
    DedicatedThread.start(name: "keeper") { [self] in
      run(make(), onTrouble)
      continuation.finish()
    }
  }

  /// Looks again at once: something has changed that a command may be waiting for.
  func look() { wake.signal() }

  /// Ends the thread after the round it is in.
  func stop() async {
    isStopping.withLock { $0 = true }
    wake.signal()
    for await _ in ended {}
  }

  private func run(_ keeper: Keeper, _ onTrouble: ((any Error)?) -> Void) {
    var isInTrouble = false
    while !isStopping.withLock({ $0 }) {
      var pause = Self.retryInterval
      do {
        pause = try keeper.round()
        if isInTrouble { onTrouble(nil) }
        isInTrouble = false
      } catch {
        if !isInTrouble { onTrouble(error) }
        isInTrouble = true
      }
      _ = wake.wait(timeout: .now() + .nanoseconds(Int(max(0, pause.nanoseconds))))
    }
  }
}
