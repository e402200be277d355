/// An incremental solver for linear equalities and inequalities with priorities, made for layouts that change a little
/// at a time.
///
/// Required constraints (priority 1000) hold to 1e-6 of a unit for values up to about a million. A search
/// whose coefficients have grown so far that this is in doubt is repeated on a tableau rebuilt from the
/// constraints, its result is refined and measured, and ``largestError`` is what remains: with factors
/// between 0.01 and 100 in one system that is rarely more, with those of layouts (0.3 to 3) never. Among all
/// solutions that do, the solver takes one whose sum of errors is least at the highest priority in use, among
/// those one whose sum is least at the next, and so on: a thousand constraints of priority 250 never outweigh
/// one of 251. A variable that the constraints do not determine keeps its value; it starts at 0.
///
/// Changes are collected and take effect together at ``solve()``, so a batch may pass through contradictions: the
/// leading and trailing constants of a pinned view can be changed one after the other. If the batch as a whole cannot
/// be satisfied, `solve()` throws and the *whole batch* is taken back: constraints added since the last successful
/// solve are gone, removed ones are back under their old names, constants and priorities are what they were, and the
/// inner state is bit for bit the one before. Variables made meanwhile stay.
///
/// The same calls in the same order give the same bits on every run: nothing depends on addresses or hash seeds.
///
/// The method is the simplex of Cassowary (Badros, Borning, Stuckey 2001) with three changes: a slack carries a
/// bent cost instead of being split into two error variables, costs are compared level by level instead of being
/// weighed, and rows and columns are linked so that changing a constant visits only the rows it moves. After the
/// first solve, changing constants and solving allocates nothing unless a row has to grow.
public struct SimplexSolver: ~Copyable {
  var tableau = Tableau()
  private var search = SimplexSearch()
  private(set) var records = Buffer<SymbolRecord>()
  /// Symbols edited since the last successful solve, each once.
  private(set) var edits = Buffer<Int32>()
  /// A bit for each place: the last solve moved that variable.
  private var changedWords = Buffer<UInt64>()

  /// The number of variables.
  public private(set) var variableCount = 0
  /// The number of constraints.
  public private(set) var constraintCount = 0

  /// How many variables the last ``solve()`` moved by more than 1e-9.
  public private(set) var changedVariableCount = 0

  /// The error within which required constraints hold, unless ``largestError`` is above it.
  public static var promisedAccuracy: Double { 1e-6 }

  /// The error by which the last ``solve()`` misses a constraint that it should meet: a required one, or one that it holds
  /// tight. Infinite if rounding leaves open whether the errors at the lower priorities are the least. Measured only
  /// when rounding may have grown, 0 otherwise. Above ``promisedAccuracy`` do not rely on the result: bring the
  /// coefficients nearer to one.
  public private(set) var largestError = 0.0

  /// An empty system.
  public init() {}
}

// MARK: - Variables

extension SimplexSolver {
  /// A new variable, free to take any value.
  public mutating func makeVariable() -> SolverVariable {
    let place = allocatePlace([.alive, .variable])
    variableCount += 1
    return SolverVariable(index: Int32(place), generation: records[place].generation)
  }

  /// Removes a variable at the next ``solve()``.
  ///
  /// - Precondition: no constraint mentions it any more; one removed since the last solve counts as gone.
  public mutating func removeVariable(_ variable: SolverVariable) {
    let place = checked(variable)
    precondition(tableau.symbols.sources[place].mentions == 0, "a constraint still mentions the variable")
    list(place)
    records[place].edits.insert(.removed)
    variableCount -= 1
  }

  /// The variable's value as of the last successful ``solve()``; 0 before the first.
  @inline(__always)
  public func value(of variable: SolverVariable) -> Double {
    let place = Int(variable.index)
    precondition(
      place < records.count && records.base[place].generation == variable.generation,
      "the variable has been removed")
    return records.base[place].settledConstant
  }

  /// Calls `body` with each variable the last ``solve()`` moved by more than 1e-9 and its new value, in ascending
  /// order of their places.
  public func forEachChangedVariable(_ body: (SolverVariable, Double) -> Void) {
    for wordIndex in 0..<changedWords.count {
      var word = changedWords.base[wordIndex]
      while word != 0 {
        let place = wordIndex * 64 + word.trailingZeroBitCount
        word &= word - 1
        let record = records.base[place]
        body(SolverVariable(index: Int32(place), generation: record.generation), record.settledConstant)
      }
    }
  }

  private func checked(_ variable: SolverVariable) -> Int {
    let place = Int(variable.index)
    precondition(
      place < records.count && records[place].generation == variable.generation
        && tableau.symbols[place].flags.isSuperset(of: [.alive, .variable])
        && !records[place].edits.contains(.removed),
      "the variable has been removed")
    return place
  }
}

// MARK: - Constraints

extension SimplexSolver {
  /// Adds the constraint `sum(terms) relation constant`, which takes part from the next ``solve()``.
  ///
  /// Terms of one variable are added up.
  /// - Parameter priority: 1…1000; 1000 is required, below that a higher number yields later.
  /// - Throws: ``SolverError/Code/notFinite`` or ``SolverError/Code/priorityOutOfRange``, and nothing has changed.
  ///   Whether the constraint can be satisfied is found out by `solve()`.
  @discardableResult
  public mutating func add(
    _ terms: [SolverTerm], _ relation: SolverRelation, _ constant: Double, priority: Int = 1000
  ) throws(SolverError) -> SolverConstraint {
    try add(terms.span, relation, constant, priority: priority)
  }

  /// Adds the constraint `sum(terms) relation constant` from any contiguous terms, such as an `InlineArray`.
  @discardableResult
  public mutating func add(
    _ terms: Span<SolverTerm>, _ relation: SolverRelation, _ constant: Double, priority: Int = 1000
  ) throws(SolverError) -> SolverConstraint {
    guard (1...1000).contains(priority) else { throw SolverError(.priorityOutOfRange) }
    var isFinite = constant.isFinite
    for index in terms.indices where !terms[index].coefficient.isFinite { isFinite = false }
    guard isFinite else { throw SolverError(.notFinite) }
    for index in terms.indices { _ = checked(terms[index].variable) }

    let place = allocatePlace(.alive)
    var record = SymbolRecord()
    record.generation = records[place].generation
    record.priority = Int16(priority)
    record.relation = relation
    record.edits = .added
    records[place] = record
    tableau.store(terms, constant: constant, at: place)
    list(place)
    constraintCount += 1
    return SolverConstraint(index: Int32(place), generation: record.generation)
  }

  /// Removes a constraint at the next ``solve()``; its handle must not be used again.
  public mutating func remove(_ constraint: SolverConstraint) {
    let place = checked(constraint)
    list(place)
    records[place].edits.insert(.removed)
    tableau.mention(place, by: -1)
    constraintCount -= 1
  }

  /// Changes a constraint's constant at the next ``solve()``, which then repairs the solution instead of finding a
  /// new one. A constant that is not finite makes that solve throw.
  public mutating func setConstant(_ constraint: SolverConstraint, _ constant: Double) {
    let place = checked(constraint)
    guard tableau.symbols.sources[place].constant != constant else { return }
    tableau.setConstant(constant, of: place)
    list(place)
  }

  /// Changes a constraint's priority at the next ``solve()``, also to and from required (1000).
  public mutating func setPriority(_ constraint: SolverConstraint, _ priority: Int) throws(SolverError) {
    guard (1...1000).contains(priority) else { throw SolverError(.priorityOutOfRange) }
    let place = checked(constraint)
    guard records[place].priority != Int16(priority) else { return }
    records[place].priority = Int16(priority)
    list(place)
  }

  private func checked(_ constraint: SolverConstraint) -> Int {
    let place = Int(constraint.index)
    precondition(
      place < records.count && records[place].generation == constraint.generation
        && tableau.symbols[place].flags.contains(.alive) && !tableau.symbols[place].flags.contains(.variable)
        && !records[place].edits.contains(.removed),
      "the constraint has been removed")
    return place
  }

  private mutating func allocatePlace(_ flags: SymbolFlags) -> Int {
    let place = tableau.allocatePlace(flags)
    if place == records.count {
      records.append(SymbolRecord())
      changedWords.fill(to: (records.count + 63) / 64, with: 0)
    }
    return place
  }

  /// Gives a symbol's place back. Later use of its old name fails a precondition.
  private mutating func vacate(_ place: Int) {
    tableau.vacate(place)
    let generation = records[place].generation
    records[place] = SymbolRecord()
    records[place].generation = generation &+ 1
  }

  /// Puts a symbol on the list of edits.
  private mutating func list(_ place: Int) {
    guard !records[place].edits.contains(.listed) else { return }
    records[place].edits.insert(.listed)
    edits.append(Int32(place))
  }
}

// MARK: - Batches: apply what was asked, find the optimum, then keep it all or take it all back

extension SimplexSolver {
  /// Ends a batch of changes: finds the best solution of the system as it is now.
  ///
  /// - Throws: ``SolverError/Code/unsatisfiable`` with the required constraints in conflict,
  ///   ``SolverError/Code/notFinite`` with the constraint whose new constant is not a number, or
  ///   ``SolverError/Code/pivotLimit``. All changes since the last successful solve have then been taken back.
  public mutating func solve() throws(SolverError) {
    for index in 0..<changedWords.count { changedWords[index] = 0 }
    changedVariableCount = 0
    guard !edits.isEmpty else { return }
    for index in 0..<edits.count {
      let place = Int(edits[index])
      guard tableau.symbols.sources[place].constant.isFinite else {
        let error = SolverError(.notFinite, constraints: [name(of: place)])
        revertEdits(levelsTaken: false)
        throw error
      }
    }
    tableau.beginBatch()
    let before = tableau.verification
    applyEdits()
    do throws(SimplexFailure) {
      largestError = 0
      largestError = try search.optimize(&tableau)
    } catch {
      let reported = publicError(error)
      tableau.restore()
      revertEdits(levelsTaken: true)
      tableau.verification = before
      throw reported
    }
    settle()
  }

  private func publicError(_ failure: SimplexFailure) -> SolverError {
    switch failure {
    case .pivotLimit: SolverError(.pivotLimit)
    case .infeasible(let symbols): SolverError(.unsatisfiable, constraints: symbols.map { name(of: $0) })
    }
  }

  private func name(of place: Int) -> SolverConstraint {
    SolverConstraint(index: Int32(place), generation: records[place].generation)
  }

  /// Brings the tableau up to the edits without looking for the optimum yet.
  private mutating func applyEdits() {
    acquireLevels()
    var hasAdditions = false
    for index in 0..<edits.count {
      let place = Int(edits[index])
      let record = records[place]
      if tableau.symbols[place].flags.contains(.variable) { continue }
      if record.edits.contains(.added) {
        hasAdditions = true
        if record.edits.contains(.removed) { tableau.markReleased(place) }
      } else if record.edits.contains(.removed) {
        tableau.release(place)
      } else {
        if record.priority != record.settledPriority {
          tableau.regrade(place, priority: record.priority, relation: record.relation)
        }
        let change = tableau.symbols.sources[place].constant - record.settledConstant
        if change != 0 { tableau.move(place, by: change) }
      }
    }
    if hasAdditions { installAdditions() }
    for index in 0..<edits.count {
      let place = Int(edits[index])
      if tableau.symbols[place].flags.contains(.leaving) { tableau.retire(place) }
    }
    for index in 0..<tableau.journal.values.count {
      tableau.queueIfOffSlope(Int(tableau.journal.values[index].symbol))
    }
  }

  /// Acquires the level of each new or regraded constraint. It comes first because the objective's stride may
  /// grow here and nowhere else.
  private mutating func acquireLevels() {
    for index in 0..<edits.count {
      let place = Int(edits[index])
      let record = records[place]
      if tableau.symbols[place].flags.contains(.variable) { continue }
      if record.edits.contains(.added) || record.priority != record.settledPriority {
        if record.priority < 1000 { tableau.acquireLevel(record.priority) }
      }
    }
  }

  /// Puts the new constraints in: equalities first, the most important first, each taking over a symbol that is free
  /// to move if its row has one. That is nearly the basis of the optimum, which leaves the search little to do.
  private mutating func installAdditions() {
    for rank in -1..<tableau.objective.levels.order.count {
      let priority = rank < 0 ? 1000 : tableau.objective.levels.priority(atRank: rank)
      for index in 0..<edits.count {
        let place = Int(edits[index])
        let record = records[place]
        guard record.priority == priority, record.relation == .equal, record.edits.contains(.added),
          !record.edits.contains(.removed)
        else { continue }
        grade(place)
        tableau.install(place)
        if let (free, position) = tableau.sparsestFreeSymbol(inRowOf: place) {
          tableau.pivot(leaving: place, entering: free, at: position, multiplier: 0)
          if tableau.symbols[free].flags.contains(.leaving) { tableau.removeRow(free) }
        }
      }
    }
    for index in 0..<edits.count {
      let place = Int(edits[index])
      let record = records[place]
      guard record.edits.contains(.added), !record.edits.contains(.removed), record.relation != .equal else {
        continue
      }
      grade(place)
      tableau.install(place)
    }
  }

  /// Makes the batch the state to return to, and notes which variables it moved.
  private mutating func settle() {
    for index in 0..<edits.count {
      let place = Int(edits[index])
      let record = records[place]
      records[place].edits = []
      if tableau.symbols[place].flags.contains(.variable) {
        if record.edits.contains(.removed) {
          tableau.clearColumn(place)
          vacate(place)
        }
        continue
      }
      let isNew = record.edits.contains(.added)
      let isGone = record.edits.contains(.removed)
      if isGone {
        if isNew, record.priority < 1000 { tableau.releaseLevel(record.priority) }
        if !isNew {
          if record.settledPriority < 1000 { tableau.releaseLevel(record.settledPriority) }
          if record.priority != record.settledPriority, record.priority < 1000 {
            tableau.releaseLevel(record.priority)
          }
        }
        vacate(place)
      } else {
        if !isNew, record.priority != record.settledPriority, record.settledPriority < 1000 {
          tableau.releaseLevel(record.settledPriority)
        }
        records[place].settledConstant = tableau.symbols.sources[place].constant
        records[place].settledPriority = record.priority
      }
    }
    edits.removeAll()
    publish()
  }

  private mutating func publish() {
    let nodes = tableau.symbols.nodes.base
    let records = records.base
    for index in 0..<tableau.journal.values.count {
      let place = Int(tableau.journal.values[index].symbol)
      guard nodes[place].flags.contains(.variable) else { continue }
      let value = tableau.symbols.value(of: place)
      guard abs(value - records[place].settledConstant) > 1e-9 else { continue }
      records[place].settledConstant = value
      let bit: UInt64 = 1 << UInt64(place & 63)
      if changedWords[place >> 6] & bit == 0 {
        changedWords[place >> 6] |= bit
        changedVariableCount += 1
      }
    }
  }

  private mutating func grade(_ place: Int) {
    tableau.grade(place, priority: records[place].priority, relation: records[place].relation)
  }

  /// Forgets the edits since the last successful solve.
  private mutating func revertEdits(levelsTaken: Bool) {
    while let edit = edits.popLast() {
      let place = Int(edit)
      let record = records[place]
      records[place].edits = []
      let isGone = record.edits.contains(.removed)
      if tableau.symbols[place].flags.contains(.variable) {
        if isGone { variableCount += 1 }
        continue
      }
      let isNew = record.edits.contains(.added)
      if levelsTaken, isNew || record.priority != record.settledPriority, record.priority < 1000 {
        tableau.releaseLevel(record.priority)
      }
      if isNew {
        if !isGone {
          tableau.mention(place, by: -1)
          constraintCount -= 1
        }
        vacate(place)
      } else {
        if isGone {
          tableau.mention(place, by: 1)
          constraintCount += 1
        }
        tableau.setConstant(record.settledConstant, of: place)
        records[place].priority = record.settledPriority
        grade(place)
      }
    }
  }
}

/// What the caller asked of a symbol, now and at the last solve, beside what the tableau holds.
struct SymbolRecord: BitwiseCopyable {
  /// What has been done to a symbol since the last successful solve.
  struct Edits: OptionSet, BitwiseCopyable {
    let rawValue: UInt8

    /// Stands in the list of edits.
    static let listed = Edits(rawValue: 1)
    static let added = Edits(rawValue: 2)
    static let removed = Edits(rawValue: 4)
  }

  /// A constraint's constant in the last solution; a variable's value in it.
  var settledConstant = 0.0
  var priority: Int16 = 0
  var settledPriority: Int16 = 0
  var relation = SolverRelation.equal
  var edits: Edits = []
  var generation: UInt32 = 0
}
