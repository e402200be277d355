/// Where a thread tells what it works at, so that work that does not come to an end, or ends its process, is known by name.
public struct WorkProgress: Sendable {
  /// What a thread says.
  public enum Step: Sendable, Equatable {
    /// It works at a unit of work from now on, e.g. a series or a table.
    case began(String)
    /// It is still at it, e.g. waiting for an answer.
    case goesOn
    /// It waits for its next round.
    case rests
  }

  private let report: @Sendable (Step) -> Void

  /// - Parameter report: called on the thread that works; must return at once.
  public init(_ report: @escaping @Sendable (Step) -> Void) { self.report = report }

  /// Reports to nobody.
  public static let unreported = WorkProgress { _ in }

  /// Reports that a unit of work begins.
  public func begin(_ unit: String) { report(.began(unit)) }
  /// Reports that the work goes on; to be called each few seconds where it waits for others.
  public func goOn() { report(.goesOn) }
  /// Reports that nothing is under way.
  public func rest() { report(.rests) }
}
