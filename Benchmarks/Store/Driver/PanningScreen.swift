import Foundation
import Measurement
import Store
import Synchronization

/// A reader on a thread of its own that looks at another hour of a store thirty times a second.
final class PanningScreen: Sendable {
  private let path: String
  private let targets: [TargetID]
  private let isStopping = Atomic(false)
  private let ended = DispatchSemaphore(value: 0)

  init(path: String, targets: [TargetID]) {
    self.path = path
    self.targets = targets
  }

  func start() {
    Thread.detachNewThread { [self] in
      defer { ended.signal() }
      guard let reader = try? StoreReader.open(at: path) else { return }
      var hour: Int64 = 0
      while !isStopping.load(ordering: .relaxed) {
        let from = BenchmarkStore.start.advanced(byMicroseconds: hour % 20 * 3_600_000_000)
        _ = try? LargeStoreFigures.window(
          reader, targets, from: from, to: from.advanced(byMicroseconds: 3_600_000_000))
        hour += 1
        Thread.sleep(forTimeInterval: 1.0 / 30)
      }
    }
  }

  func stop() {
    isStopping.store(true, ordering: .relaxed)
    ended.wait()
  }
}
