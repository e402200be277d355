/// How the two sides of a constraint compare.
public enum LayoutRelation: Sendable, Hashable {
  case lessThanOrEqual, equal, greaterThanOrEqual

  var symbol: String {
    switch self {
    case .lessThanOrEqual: "<="
    case .equal: "=="
    case .greaterThanOrEqual: ">="
    }
  }
}
