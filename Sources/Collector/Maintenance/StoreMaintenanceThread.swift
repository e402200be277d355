import Measurement
import Store
import Synchronization

/// Runs the keeper on a thread of its own for as long as the collector has the store.
final class StoreMaintenanceThread: Sendable {
  private let isStopping = Mutex(false)
  private let wake = WakeSignal()
  private let ended: AsyncStream<Never>

  /// How long to wait after something went wrong.
  private static let retryInterval = Duration.seconds(1)

  /// - Parameters:
  ///   - make: makes the keeper, on its thread.
  ///   - onTrouble: told when a round fails and when one succeeds again (`nil`); on the keeper's thread.
  ///   - onStoreLost: told once when the store is no longer the file with its name, or another collector has it.
  init(
    make: @escaping @Sendable () -> StoreMaintenance, onTrouble: @escaping @Sendable ((any Error)?) -> Void,
    onStoreLost: @escaping @Sendable (StoreError) -> Void = { _ in }
  ) {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    ended = stream
    DedicatedThread.start(name: "keeper") { [self] in
      run(make(), onTrouble, onStoreLost)
      continuation.finish()
    }
  }

  /// Looks again at once: something has changed that a command may be waiting for.
  func look() { wake.raise() }

  /// Ends the thread after the round it is in.
  func stop() async {
    isStopping.withLock { $0 = true }
    wake.raise()
    for await _ in ended {}
  }

  private func run(
    _ keeper: StoreMaintenance, _ onTrouble: ((any Error)?) -> Void, _ onStoreLost: (StoreError) -> Void
  ) {
    var isInTrouble = false
    while !isStopping.withLock({ $0 }) {
      var pause = Self.retryInterval
      do {
        pause = try keeper.round()
        if isInTrouble { onTrouble(nil) }
        isInTrouble = false
      } catch let error as StoreError where error.isStoreLost {
        return onStoreLost(error)
      } catch {
        if !isInTrouble { onTrouble(error) }
        isInTrouble = true
      }
      wake.wait(atMost: pause)
    }
  }
}
