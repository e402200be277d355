/// An incremental solver for linear equalities and inequalities with priorities, made for layouts that change a little
/// at a time.
///
/// Required constraints (priority 1000) hold to 1e-6 of a unit for values up to about a million. A search whose
/// coefficients have grown so far that this is in doubt is gone through again on a tableau made afresh, its result is
/// refined and measured, and ``largestError`` says what is left: with factors between 0.01 and 100 in one system that is
/// hardly ever more, with those of layouts (0.3 to 3) never. Among all
/// solutions that do, the solver takes one whose sum of errors is least at the highest priority in use, among those
/// one whose sum is least at the next, and so on: a thousand constraints of priority 250 never outweigh one of 251.
/// What the constraints leave open stays where it was until one pushes it; a variable starts at 0.
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
  var nodes = Buffer<SymbolNode>()
  var records = Buffer<SymbolRecord>()
  /// Change of the total cost a unit of each nonbasic symbol brings through the basic ones: `stride` levels a symbol.
  var objective = Buffer<Double>()
  var stride = 0
  var levels = ObjectiveLevels()
  var scratch = Buffer<ScratchSlot>()
  /// Symbols gathered in `scratch`.
  var gathered = Buffer<Int32>()
  var freePlaces = Buffer<Int32>()

  /// Symbols edited since the last successful solve, each once.
  var edits = Buffer<Int32>()
  /// Counts the solves, to tell what the running one has noted already.
  var batch: UInt32 = 1
  var journal = Journal()

  /// Basic symbols that may be off their slope.
  var offSlope = Buffer<Int32>()
  /// Some nonbasic symbol may gain by moving.
  var mayImprove = false
  var candidates = Buffer<DualCandidate>()
  var breakpoints = Buffer<Breakpoint>()
  var slope = Buffer<Double>()
  var upkeep = TableauVerification()

  var changedWords = Buffer<UInt64>()
  /// The number of variables.
  public internal(set) var variableCount = 0
  /// The number of constraints.
  public internal(set) var constraintCount = 0

  /// How many variables the last ``solve()`` moved by more than 1e-9.
  public internal(set) var changedVariableCount = 0

  /// What required constraints hold to, unless ``largestError`` says otherwise.
  public static var promisedAccuracy: Double { 1e-6 }

  /// By how much the last ``solve()`` misses a constraint that it should meet: a required one, or one that it holds
  /// tight. Infinite if rounding leaves open whether the errors at the lower priorities are the least. Measured only
  /// when rounding may have grown, 0 otherwise. Above ``promisedAccuracy`` do not rely on the result: bring the
  /// coefficients nearer to one.
  public internal(set) var largestError = 0.0

  /// An empty system.
  public init() {}

  deinit {
    for index in 0..<nodes.count {
      nodes[index].block?.deallocate()
      records[index].terms?.deallocate()
    }
  }
}

// MARK: - Variables

extension SimplexSolver {
  /// A new variable, free to take any value.
  public mutating func makeVariable() -> SolverVariable {
    let place = takePlace()
    nodes[Int(place)].flags = [.alive, .variable]
    variableCount += 1
    return SolverVariable(index: place, generation: records[Int(place)].generation)
  }

  /// Gives a variable's place back at the next ``solve()``.
  ///
  /// - Precondition: no constraint mentions it any more; one removed since the last solve counts as gone.
  public mutating func removeVariable(_ variable: SolverVariable) {
    let place = checked(variable)
    precondition(records[place].mentions == 0, "a constraint still mentions the variable")
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

  func checked(_ variable: SolverVariable) -> Int {
    let place = Int(variable.index)
    precondition(
      place < records.count && records[place].generation == variable.generation
        && nodes[place].flags.isSuperset(of: [.alive, .variable]) && !records[place].edits.contains(.removed),
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

  /// Adds the constraint `sum(terms) relation constant` from terms that lie anywhere, such as an `InlineArray`.
  @discardableResult
  public mutating func add(
    _ terms: Span<SolverTerm>, _ relation: SolverRelation, _ constant: Double, priority: Int = 1000
  ) throws(SolverError) -> SolverConstraint {
    guard (1...1000).contains(priority) else { throw SolverError(.priorityOutOfRange) }
    var isFinite = constant.isFinite
    for index in terms.indices where !terms[index].coefficient.isFinite { isFinite = false }
    guard isFinite else { throw SolverError(.notFinite) }
    for index in terms.indices { _ = checked(terms[index].variable) }

    let place = takePlace()
    nodes[Int(place)].flags = .alive
    var record = SymbolRecord()
    record.generation = records[Int(place)].generation
    record.constant = constant
    record.priority = Int16(priority)
    record.relation = relation
    record.edits = .added
    store(terms, in: &record)
    records[Int(place)] = record
    list(Int(place))
    constraintCount += 1
    return SolverConstraint(index: place, generation: record.generation)
  }

  /// Removes a constraint at the next ``solve()``; its name must not be used again.
  public mutating func remove(_ constraint: SolverConstraint) {
    let place = checked(constraint)
    list(place)
    records[place].edits.insert(.removed)
    mention(place, by: -1)
    constraintCount -= 1
  }

  /// Changes a constraint's constant at the next ``solve()``, which then repairs the solution instead of finding a
  /// new one. A constant that is not finite makes that solve throw.
  public mutating func setConstant(_ constraint: SolverConstraint, _ constant: Double) {
    let place = checked(constraint)
    guard records[place].constant != constant else { return }
    records[place].constant = constant
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

  func checked(_ constraint: SolverConstraint) -> Int {
    let place = Int(constraint.index)
    precondition(
      place < records.count && records[place].generation == constraint.generation
        && nodes[place].flags.contains(.alive) && !nodes[place].flags.contains(.variable)
        && !records[place].edits.contains(.removed),
      "the constraint has been removed")
    return place
  }
}
