/// Why a search ended without a solution.
enum SimplexFailure: Error {
  /// The search was stopped at its limit of steps.
  case pivotLimit
  /// The required constraints with these places contradict one another.
  case infeasible(symbols: [Int])

  var isPivotLimit: Bool { if case .pivotLimit = self { true } else { false } }
}

/// The search for the optimum: repairs, improves, and checks the result when rounding may have grown.
struct SimplexSearch: ~Copyable {
  private var primal = PrimalSimplex()
  private var dual = DualSimplex()

  /// Finds the optimum from where the batch's edits have left the tableau.
  /// - Returns: what ``SimplexSolver/largestError`` is to say.
  mutating func optimize(_ tableau: inout Tableau) throws(SimplexFailure) -> Double {
    do {
      try search(&tableau)
    } catch {
      // The contradiction may come from rounding: repeat on a rebuilt tableau.
      guard error.isPivotLimit || tableau.largestResidual() > 1e-10 else { throw error }
      tableau.rebuild()
      try search(&tableau)
    }
    var isRisky = false
    for _ in 0..<Self.maximumRebuilds {
      guard
        tableau.verification.isDue || tableau.verification.pivots >= 64 || tableau.verification.moves >= 2048
      else { break }
      isRisky = isRisky || tableau.verification.isDue
      let rebuilds = tableau.verification.isDue || tableau.refresh() > 1e-11
      tableau.verification.pivots = 0
      tableau.verification.moves = 0
      guard rebuilds else { break }
      tableau.rebuild()
      // The rebuilding's own pivots do not count.
      tableau.verification.isDue = false
      tableau.verification.pivots = 0
      try search(&tableau)
    }
    tableau.verification.isDue = false
    guard isRisky else { return 0 }
    tableau.polish()
    try dual.repairRows(of: &tableau)
    var isLeast = tableau.confirmOptimum()
    if !isLeast {
      try primal.improve(&tableau)
      try dual.repairRows(of: &tableau)
      tableau.polish()
      try dual.repairRows(of: &tableau)
      isLeast = tableau.confirmOptimum()
    }
    tableau.verification.isDue = false
    tableau.mayImprove = false
    return isLeast ? tableau.missedBy() : .infinity
  }

  /// More rebuilds than this do not improve a search.
  private static var maximumRebuilds: Int { 3 }

  private mutating func search(_ tableau: inout Tableau) throws(SimplexFailure) {
    tableau.verification.limit =
      tableau.verification.totalPivots + 50 * (tableau.nodes.count - tableau.freePlaces.count) + 200
    if tableau.mayImprove {
      if tableau.hasRowOffSlope() {
        tableau.hideImprovements()
        try dual.repairRows(of: &tableau)
        tableau.recomputeObjective()
      }
      try primal.improve(&tableau)
      tableau.mayImprove = false
    }
    try dual.repairRows(of: &tableau)
  }
}
