import Measurement
import Synchronization

/// The numbers of a fleet's targets in this process, for those that read stores, which have numbers of their own. Readers that
/// share it agree on them, however many runs begin between their openings.
public final class FleetNumbers: Sendable {
  struct Name: Hashable {
    var run: RunID
    /// Lower case.
    var collector: String
    var target: String
    var provider: String
  }

  private let numbers = Mutex<[Name: TargetID]>([:])

  public init() {}

  /// The same each time for the same name.
  func id(of name: Name) -> TargetID {
    numbers.withLock { numbers in
      if let known = numbers[name] { return known }
      let id = TargetID(rawValue: Int64(numbers.count + 1))
      numbers[name] = id
      return id
    }
  }
}
