/// The window's side of the solver: turns items into variables and constraints into rows, keeps count of what has to
/// be solved again, and translates errors back into names.
///
/// The solver takes a batch of changes or none of it. So the engine remembers what it asked for since the last
/// success and asks again after a refusal, without the constraint that was to blame.
final class LayoutEngine {
  var solver = SimplexSolver()
  /// Everything that has variables, in no particular order.
  private(set) var items: [LayoutItem] = []
  /// Changes wait for ``settle()``.
  private(set) var needsSolve = false
  /// The solver's values have moved since they were last read.
  private(set) var needsRead = false

  // What has been asked for since the last success.
  private var added: [LayoutConstraint] = []
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
    added.append(constraint)
    needsSolve = true
    window.constraintsChanged()
  }

  /// Takes a constraint's row out.
  func extract(_ constraint: LayoutConstraint) {
    guard let handle = constraint.handle else { return }
    solver.remove(handle)
    if let index = added.lastIndex(where: { $0 === constraint }) {
      added.remove(at: index)
    } else {
      removed.append(handle)
    }
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
    if let view = item as? View, view.manualFrame != nil { pin(view, at: view.model) }
    return made
  }

  func removeVariables(of item: LayoutItem) {
    guard let variables = item.variables else { return }
    if let view = item as? View { unpin(view) }
    retired.append(contentsOf: variables.all)
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
    return Edges((exact * LayoutEngine.grain).rounded(.toNearestOrEven) / LayoutEngine.grain)
  }

  private static let grain = 1_073_741_824.0

  func didRead() { needsRead = false }

  // MARK: Batches

  /// Makes the solver carry out what it has been asked for.
  /// - Returns: what stands in the way, or nil. After a refusal the values are the last good ones and the changes
  ///   are pending again, for when the next one comes.
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
    needsRead = true
    for view in pinned { view.variables?.pinsAreNew = false }
    for variable in retired { solver.removeVariable(variable) }
    added.removeAll(keepingCapacity: true)
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
