extension LayoutDiagnostic: CustomStringConvertible {
  public var description: String {
    switch self {
    case .layout(let error): error.description
    case .frameOfConstrainedView(let name):
      "\(name) is placed by constraints: change their constants, do not set its frame"
    case .changeNotLaidOut:
      "an animation block changed constraints but did not call layoutIfNeeded(): the change will not be animated"
    case .layoutLoop(let name): "\(name) changes the layout each time it is laid out"
    case .animatorMisuse(let call): "a property animator was misused: \(call)"
    case .notFinite(let name): "\(name) was given a value that is not a finite number"
    }
  }
}
