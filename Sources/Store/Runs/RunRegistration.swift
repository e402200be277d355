import Measurement

/// The numbers the store gave a run's targets and variants.
public struct RunRegistration: Sendable, Equatable {
  public var run: RunID
  /// In the order of their names (as bytes), which is that of their ids.
  public var targets: [RegisteredTarget]

  public init(run: RunID, targets: [RegisteredTarget]) {
    self.run = run
    self.targets = targets
  }

  public subscript(name: String) -> RegisteredTarget? { targets.first { $0.name == name } }
}
