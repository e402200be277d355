/// The window's side of the solver: turns items into variables and constraints into rows, tracks what has to
/// be solved again, and translates errors back into names.
///
/// The solver takes a batch of changes or none of it. So the engine records what it has changed since the last
/// success and repeats it after a refusal, without the constraint that was refused.
final class LayoutEngine {
  var solver = SimplexSolver()
  /// Everything that has variables, in no particular order.
  private(set) var items: [LayoutItem] = []
  /// Changes wait for ``settle()``.
  private(set) var needsSolve = false
  /// Items that the solver has moved or that were added since they were last read.
  private var unread: [LayoutItem] = []
  /// The item of each solver variable, by the variable's place.
  private var owners: [LayoutItem?] = []
  /// The error by which the solver's answer misses a constraint, if that is more than it promises.
  private var inexactness: Double?

  // Changes since the last success.
  private var added = ConstraintList()
  private var removed: [SolverConstraint] = []
  private var constantsChanged: [LayoutConstraint] = []
  private var prioritiesChanged: [LayoutConstraint] = []
  private var pinned: [View] = []
  private var retired: [SolverVariable] = []

  // MARK: Constraints

  /// Adds a constraint's row; whether it can hold shows in ``settle()``.
  func insert(_ constraint: LayoutConstraint, in window: Window, holder: View) throws(LayoutError) {
    guard constraint.handle == nil else { return }
    let terms = self.terms(of: constraint, holder: holder)
    do throws(SolverError) {
      constraint.handle = try solver.add(
        terms, constraint.relation.solverRelation, constraint.effectiveConstant,
        priority: constraint.storedPriority.rawValue)
    } catch {
      throw translate(error, blaming: constraint)
    }
    constraint.window = window
    added.append(constraint, as: .fresh)
    needsSolve = true
    window.constraintsChanged()
  }

  /// Removes a constraint's row.
  func extract(_ constraint: LayoutConstraint) {
    guard let handle = constraint.handle else { return }
    solver.remove(handle)
    if !added.remove(constraint, as: .fresh) { removed.append(handle) }
    constraint.handle = nil
    let window = constraint.window
    constraint.window = nil
    needsSolve = true
    window?.constraintsChanged()
  }

  func setConstant(of constraint: LayoutConstraint) {
    guard let handle = constraint.handle else { return }
    solver.setConstant(handle, constraint.effectiveConstant)
    constantsChanged.append(constraint)
    needsSolve = true
  }

  func setPriority(of constraint: LayoutConstraint) throws(LayoutError) {
    guard let handle = constraint.handle else { return }
    do throws(SolverError) {
      try solver.setPriority(handle, constraint.storedPriority.rawValue)
    } catch {
      throw translate(error, blaming: constraint)
    }
    prioritiesChanged.append(constraint)
    needsSolve = true
  }

  // MARK: Views placed by hand

  /// Holds a view that is placed by hand at `edges`, or moves it there.
  func pin(_ view: View, at edges: Edges) {
    guard let variables = view.variables else { return }
    needsSolve = true
    if variables.pins.isEmpty {
      view.variables?.pins = makePins(variables, at: edges)
      view.variables?.pinsAreNew = true
    } else {
      for (index, pin) in variables.pins.enumerated() { solver.setConstant(pin, edges.values[index]) }
    }
    pinned.append(view)
  }

  func unpin(_ view: View) {
    guard let variables = view.variables, !variables.pins.isEmpty else { return }
    for pin in variables.pins { solver.remove(pin) }
    if !variables.pinsAreNew { removed.append(contentsOf: variables.pins) }
    view.variables?.pins = []
    needsSolve = true
  }

  private func makePins(_ variables: EngineVariables, at edges: Edges) -> [SolverConstraint] {
    var pins: [SolverConstraint] = []
    for (index, symbol) in variables.all.enumerated() {
      // Only a number that is not finite could be refused here, and frames are checked when they are set.
      if let pin = try? solver.add([SolverTerm(symbol, 1)], .equal, edges.values[index], priority: 1000) {
        pins.append(pin)
      }
    }
    return pins
  }

  // MARK: Variables

  func variables(of item: LayoutItem) -> EngineVariables {
    if let known = item.variables { return known }
    let made = EngineVariables(
      left: solver.makeVariable(), top: solver.makeVariable(), right: solver.makeVariable(),
      bottom: solver.makeVariable(), index: items.count)
    item.variables = made
    items.append(item)
    for variable in made.all {
      while owners.count <= variable.place { owners.append(nil) }
      owners[variable.place] = item
    }
    markUnread(item)
    if let view = item as? View, view.manualFrame != nil { pin(view, at: view.model) }
    return made
  }

  func removeVariables(of item: LayoutItem) {
    guard let variables = item.variables else { return }
    if let view = item as? View { unpin(view) }
    retired.append(contentsOf: variables.all)
    for variable in variables.all { owners[variable.place] = nil }
    item.variables = nil
    needsSolve = true
    let last = items.removeLast()
    if last !== item {
      items[variables.index] = last
      last.variables?.index = variables.index
    }
  }

  /// The values as of the last success, cut to 2⁻³⁰ of a cell: a layout that is left and entered again comes out the
  /// same to the bit, whatever the last digits of the tableau went through.
  func edges(of item: LayoutItem) -> Edges {
    guard let variables = item.variables else { return item.model }
    let exact = SIMD4(
      solver.value(of: variables.left), solver.value(of: variables.top),
      solver.value(of: variables.right), solver.value(of: variables.bottom))
    return LayoutEngine.cut(exact)
  }

  /// Where a frame relative to `superview` lies in the window, cut like the solver's values: a view placed by hand and
  /// one that constraints tie to it agree to the bit.
  static func place(_ frame: Rect, in superview: View?) -> Edges {
    let origin = superview?.model.values ?? .zero
    return cut(Edges(frame.offsetBy(Vector(dx: origin.x, dy: origin.y))).values)
  }

  private static func cut(_ exact: SIMD4<Double>) -> Edges {
    Edges((exact * grain).rounded(.toNearestOrEven) / grain)
  }

  private static let grain = 1_073_741_824.0

  var needsRead: Bool { !unread.isEmpty || inexactness != nil }

  /// The items to be read; from now on they count as read.
  func drainUnread() -> [LayoutItem] {
    let items = unread
    unread.removeAll(keepingCapacity: true)
    var known: [LayoutItem] = []
    known.reserveCapacity(items.count)
    for item in items where item.isUnread && item.variables != nil {
      item.isUnread = false
      known.append(item)
    }
    return known
  }

  func consumeInexactness() -> Double? {
    defer { inexactness = nil }
    return inexactness
  }

  private func markUnread(_ item: LayoutItem) {
    guard !item.isUnread else { return }
    item.isUnread = true
    unread.append(item)
  }

  // MARK: Batches

  /// Solves for the pending changes.
  /// - Returns: why the changes were refused, or nil. After a refusal the values are the last good ones and the changes
  ///   are pending again.
  func settle() -> Refusal? {
    guard needsSolve else { return nil }
    needsSolve = false
    do throws(SolverError) {
      try solver.solve()
    } catch {
      let refusal = self.refusal(for: error)
      askAgain()
      return refusal
    }
    solver.forEachChangedVariable { variable, _ in
      if variable.place < owners.count, let item = owners[variable.place] { markUnread(item) }
    }
    if solver.largestError > SimplexSolver.promisedAccuracy { inexactness = solver.largestError }
    for view in pinned { view.variables?.pinsAreNew = false }
    for variable in retired { solver.removeVariable(variable) }
    added.removeAll()
    removed.removeAll(keepingCapacity: true)
    constantsChanged.removeAll(keepingCapacity: true)
    prioritiesChanged.removeAll(keepingCapacity: true)
    pinned.removeAll(keepingCapacity: true)
    retired.removeAll(keepingCapacity: true)
    return nil
  }

  private func askAgain() {
    for handle in removed { solver.remove(handle) }
    for constraint in added {
      constraint.handle = nil
      guard let holder = constraint.owner else { continue }
      constraint.handle = try? solver.add(
        terms(of: constraint, holder: holder), constraint.relation.solverRelation,
        constraint.effectiveConstant, priority: constraint.storedPriority.rawValue)
    }
    for constraint in constantsChanged {
      if let handle = constraint.handle { solver.setConstant(handle, constraint.effectiveConstant) }
    }
    for constraint in prioritiesChanged {
      if let handle = constraint.handle {
        try? solver.setPriority(handle, constraint.storedPriority.rawValue)
      }
    }
    for view in pinned {
      guard let variables = view.variables, !variables.pins.isEmpty else { continue }
      if variables.pinsAreNew {
        view.variables?.pins = makePins(variables, at: view.model)
      } else {
        for (index, pin) in variables.pins.enumerated() { solver.setConstant(pin, view.model.values[index]) }
      }
    }
  }
}

extension LayoutEngine {
  /// `first - multiplier × second`, everything in absolute edges. A multiplier on a place (not a length) counts from
  /// the holder's origin, which then is part of the row.
  func terms(of constraint: LayoutConstraint, holder: View) -> [SolverTerm] {
    guard let first = constraint.firstItem else { return [] }
    var terms: [SolverTerm] = []
    append(constraint.firstAttribute, of: variables(of: first), times: 1, to: &terms)
    if let second = constraint.secondItem, let attribute = constraint.secondAttribute {
      append(attribute, of: variables(of: second), times: -constraint.multiplier, to: &terms)
      if constraint.multiplier != 1, !attribute.isDimension {
        let origin = variables(of: holder)
        let symbol = attribute.isHorizontal ? origin.left : origin.top
        terms.append(SolverTerm(symbol, constraint.multiplier - 1))
      }
    }
    return terms
  }

  private func append(
    _ attribute: LayoutAttribute, of variables: EngineVariables, times factor: Double,
    to terms: inout [SolverTerm]
  ) {
    switch attribute {
    case .leading: terms.append(SolverTerm(variables.left, factor))
    case .trailing: terms.append(SolverTerm(variables.right, factor))
    case .top: terms.append(SolverTerm(variables.top, factor))
    case .bottom: terms.append(SolverTerm(variables.bottom, factor))
    case .width:
      terms.append(SolverTerm(variables.right, factor))
      terms.append(SolverTerm(variables.left, -factor))
    case .height:
      terms.append(SolverTerm(variables.bottom, factor))
      terms.append(SolverTerm(variables.top, -factor))
    case .centerX:
      terms.append(SolverTerm(variables.left, factor / 2))
      terms.append(SolverTerm(variables.right, factor / 2))
    case .centerY:
      terms.append(SolverTerm(variables.top, factor / 2))
      terms.append(SolverTerm(variables.bottom, factor / 2))
    }
  }
}

extension LayoutRelation {
  var solverRelation: SolverRelation {
    switch self {
    case .lessThanOrEqual: .lessThanOrEqual
    case .equal: .equal
    case .greaterThanOrEqual: .greaterThanOrEqual
    }
  }
}

extension LayoutConstraint {
  /// What the solver is told: the model's constant and what animations add to it.
  var effectiveConstant: Double { constant + constantOffset }
}

extension LayoutEngine {
  /// Why the solver refused a batch, in terms of constraints.
  struct Refusal {
    /// The constraints that contradict each other, in the solver's order.
    let constraints: [LayoutConstraint]
    /// Names of views placed by hand that are part of the contradiction.
    let pinnedViews: [String]
    let reachedLimit: Bool

    /// The error for a caller, with the constraint that is to give way named first.
    func error(blaming broken: LayoutConstraint?) -> LayoutError {
      if reachedLimit { return .pivotLimit }
      let culprit = broken ?? constraints.last
      let others = constraints.filter { $0 !== culprit }.map(\.description) + pinnedViews
      return .unsatisfiable(broken: culprit?.description ?? pinnedViews.first ?? "", conflictingWith: others)
    }
  }

  func refusal(for error: SolverError) -> Refusal {
    if error.code == .pivotLimit {
      return Refusal(constraints: [], pinnedViews: [], reachedLimit: true)
    }
    var constraints: [LayoutConstraint] = []
    var pinnedViews: [String] = []
    for handle in error.constraints {
      if let constraint = constraint(with: handle) {
        constraints.append(constraint)
      } else if let view = items.first(where: { $0.variables?.pins.contains(handle) ?? false }) {
        let name = "\(view.name).frame"
        if !pinnedViews.contains(name) { pinnedViews.append(name) }
      }
    }
    return Refusal(constraints: constraints, pinnedViews: pinnedViews, reachedLimit: false)
  }

  func translate(_ error: SolverError, blaming constraint: LayoutConstraint) -> LayoutError {
    switch error.code {
    case .notFinite, .priorityOutOfRange: .notFinite(constraint.description)
    case .pivotLimit: .pivotLimit
    case .unsatisfiable: refusal(for: error).error(blaming: constraint)
    }
  }

  private func constraint(with handle: SolverConstraint) -> LayoutConstraint? {
    for item in items {
      if let found = item.attachedConstraints.first(where: { $0.handle == handle }) { return found }
    }
    return nil
  }
}

/// An item's solver variables: its four absolute edges, and its index in the engine's list.
struct EngineVariables {
  let left: SolverVariable
  let top: SolverVariable
  let right: SolverVariable
  let bottom: SolverVariable
  var index: Int
  /// Required equalities that hold a view placed by hand where it is; empty for views that constraints place.
  var pins: [SolverConstraint] = []
  /// The pins have not been part of a successful solution yet.
  var pinsAreNew = false

  var all: [SolverVariable] { [left, top, right, bottom] }
}
