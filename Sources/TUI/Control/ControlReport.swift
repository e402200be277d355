import Store

/// What became of something the collector was asked for.
struct ControlReport: Sendable, Equatable {
  enum Result: Sendable, Equatable {
    case done
    /// A sentence for people.
    case refused(String)
  }

  let command: ControlCommand
  let result: Result
}
