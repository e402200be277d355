/// Constraints in the order they came. Taking one out costs the same however many there are: each constraint knows its
/// index, and empty entries are removed when they outnumber the others.
struct ConstraintList: Sequence {
  /// The lists a constraint can be in at one time.
  enum Role: Int {
    /// Of the view that holds it.
    case held
    /// Of its first item.
    case first
    /// Of its second item, when that is another one.
    case second
    /// Of those the solver has not accepted yet.
    case fresh
  }

  fileprivate struct Entry {
    let constraint: LayoutConstraint
    let role: Role
  }

  private var entries: [Entry?] = []
  private(set) var count = 0
  /// Entries written so far, for tests of the cost.
  private(set) var writes = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ constraint: LayoutConstraint, as role: Role) {
    constraint.listIndices[role.rawValue] = Int32(entries.count)
    entries.append(Entry(constraint: constraint, role: role))
    count += 1
    writes += 1
  }

  /// Takes a constraint out, if it is here.
  /// - Returns: whether it was.
  @discardableResult
  mutating func remove(_ constraint: LayoutConstraint, as role: Role) -> Bool {
    let index = Int(constraint.listIndices[role.rawValue])
    guard entries.indices.contains(index), let entry = entries[index], entry.constraint === constraint,
      entry.role == role
    else { return false }
    entries[index] = nil
    constraint.listIndices[role.rawValue] = -1
    count -= 1
    writes += 1
    if entries.count > 2 * count + 8 { removeEmptyEntries() }
    return true
  }

  mutating func removeAll() {
    for entry in entries {
      if let entry { entry.constraint.listIndices[entry.role.rawValue] = -1 }
    }
    entries.removeAll(keepingCapacity: true)
    count = 0
  }

  private mutating func removeEmptyEntries() {
    writes += entries.count
    entries.removeAll { $0 == nil }
    for (index, entry) in entries.enumerated() {
      if let entry { entry.constraint.listIndices[entry.role.rawValue] = Int32(index) }
    }
  }

  struct Iterator: IteratorProtocol {
    fileprivate var rest: IndexingIterator<[Entry?]>

    mutating func next() -> LayoutConstraint? {
      while let entry = rest.next() {
        if let entry { return entry.constraint }
      }
      return nil
    }
  }

  func makeIterator() -> Iterator { Iterator(rest: entries.makeIterator()) }
}
