/// How the sum of a constraint's terms stands to its constant.
public enum SolverRelation: UInt8, Sendable, Hashable, BitwiseCopyable {
  case lessThanOrEqual, equal, greaterThanOrEqual
}
