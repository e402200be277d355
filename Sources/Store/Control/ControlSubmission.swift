/// A command that was submitted.
public struct ControlSubmission: Sendable, Hashable {
  /// Its row; `nil` when it was carried out at once.
  let row: Int64?
}
