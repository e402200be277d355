extension LayoutDiagnostic: CustomStringConvertible {
  public var description: String {
    switch self {
    case .layout(let error): error.description
    case .frameOfConstrainedView(let name):
      "\(name) is placed by constraints: change their constants, do not set its frame"
    case .changeNotLaidOut:
      "an animation block changed constraints but did not call layoutIfNeeded(): the change will not be animated"
    case .negativeSize(let name):
      "\(name) has a negative width or height: add a required minimum, or let one of its edges give way"
    case .misplacedView(let name):
      "\(name) was not added: it is a window's root or contains the view it was to be added to"
    case .timeNotAdvanced(let late):
      "an animation began \(late) ago: after sleeping, call advance(to:) with the present before animating"
    case .modelNotRestored(let name):
      """
      \(name) leapt when its property animator ended: the model has no values for that place (a priority or an \
      activation has none between its ends)
      """
    case .inexactSolution(let error):
      error.isFinite
        ? "the layout misses a constraint by \(error): bring multipliers nearer to one"
        : "the layout may not be the best one: bring multipliers nearer to one"
    case .layoutLoop(let name): "\(name) changes the layout each time it is laid out"
    case .animatorMisuse(let call): "a property animator was misused: \(call)"
    case .notFinite(let name): "\(name) was given a value that is not a finite number"
    }
  }
}
