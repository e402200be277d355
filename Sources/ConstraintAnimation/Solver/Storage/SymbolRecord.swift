/// The part of a symbol that only edits and upkeep touch: what the caller asked for, now and at the last solve.
struct SymbolRecord: BitwiseCopyable {
  /// A constraint's terms, merged by variable.
  var terms: UnsafeMutablePointer<StoredTerm>?
  var termCount: Int32 = 0
  /// How many constraints mention a variable.
  var mentions: Int32 = 0
  /// A constraint's constant as asked for; a variable's value where its symbol is 0.
  var constant = 0.0
  /// A constraint's constant in the last solution; a variable's value in it.
  var settledConstant = 0.0
  var priority: Int16 = 0
  var settledPriority: Int16 = 0
  var relation = SolverRelation.equal
  var edits: EditFlags = []
  var generation: UInt32 = 0
}
