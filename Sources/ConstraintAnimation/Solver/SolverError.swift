/// Why a change to the system was refused. The solver then stands as it stood after the last successful
/// ``SimplexSolver/solve()``.
public struct SolverError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    /// The required constraints named in ``SolverError/constraints`` cannot all hold at once: remove one of them or
    /// lower its priority.
    case unsatisfiable
    /// The search was stopped at its limit of steps, which only badly scaled numbers reach: bring the coefficients
    /// nearer to one.
    case pivotLimit
    /// A coefficient or constant is infinite or not a number.
    case notFinite
    /// A priority lies outside 1…1000.
    case priorityOutOfRange
  }

  public var code: Code

  /// The constraints the refusal is about. For ``Code/unsatisfiable`` no one of them can be left out without the
  /// rest becoming satisfiable. Those added since the last successful solve are gone by the time this is read: their
  /// names serve to look up what they stood for.
  public var constraints: [SolverConstraint]

  public init(_ code: Code, constraints: [SolverConstraint] = []) {
    self.code = code
    self.constraints = constraints
  }

  public var description: String {
    switch code {
    case .unsatisfiable:
      "\(constraints.count) required constraints contradict one another; remove one or lower its priority"
    case .pivotLimit: "the solver reached its step limit; bring the coefficients nearer to one"
    case .notFinite: "a coefficient or constant is infinite or not a number"
    case .priorityOutOfRange: "a priority lies outside 1…1000"
    }
  }
}
