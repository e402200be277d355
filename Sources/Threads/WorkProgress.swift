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

  private let tell: @Sendable (Step) -> Void

  /// - Parameter tell: called on the thread that works; must return at once.
  public init(_ tell: @escaping @Sendable (Step) -> Void) { self.tell = tell }

  /// Tells nobody.
  public static let untold = WorkProgress { _ in }

  /// Tells that a unit of work begins.
  public func begin(_ unit: String) { tell(.began(unit)) }
  /// Tells that the work goes on; to be called each few seconds where it waits for others.
  public func goOn() { tell(.goesOn) }
  /// Tells that nothing is under way.
  public func rest() { tell(.rests) }
}
