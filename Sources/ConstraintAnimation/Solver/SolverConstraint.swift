/// A constraint of the linear system: a stable name until the constraint is removed.
///
/// Like ``SolverVariable`` it carries the generation of its place, so that using a removed constraint is caught.
public struct SolverConstraint: Hashable, Sendable, BitwiseCopyable {
  let index: Int32
  let generation: UInt32

  /// The place, a small number no two living variables and constraints of one solver share: tables about
  /// constraints can be arrays with this as the index.
  public var place: Int { Int(index) }
}

/// The relation between the sum of a constraint's terms and its constant.
public enum SolverRelation: UInt8, Sendable, Hashable, BitwiseCopyable {
  case lessThanOrEqual, equal, greaterThanOrEqual
}

/// One variable times a factor; a constraint is a sum of these set against a constant.
public struct SolverTerm: Sendable, Hashable, BitwiseCopyable {
  public var variable: SolverVariable
  public var coefficient: Double

  public init(_ variable: SolverVariable, _ coefficient: Double = 1) {
    self.variable = variable
    self.coefficient = coefficient
  }
}

/// An unknown of the linear system, named by the place the solver keeps it in.
///
/// Places are used again after ``SimplexSolver/removeVariable(_:)``; the generation tells the old owner from the new
/// one, so that a name kept too long is caught instead of silently meaning another variable.
public struct SolverVariable: Hashable, Sendable, BitwiseCopyable {
  let index: Int32
  let generation: UInt32

  /// The place, a small number no two living variables and constraints of one solver share: tables about
  /// variables can be arrays with this as the index.
  public var place: Int { Int(index) }
}

/// Why a change to the system was refused. The solver then stands as it stood after the last successful
/// ``SimplexSolver/solve()``.
public struct SolverError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong with the constraint.
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
