/// One variable times a factor; a constraint is a sum of these set against a constant.
public struct SolverTerm: Sendable, Hashable, BitwiseCopyable {
  public var variable: SolverVariable
  public var coefficient: Double

  public init(_ variable: SolverVariable, _ coefficient: Double = 1) {
    self.variable = variable
    self.coefficient = coefficient
  }
}
