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

  fileprivate struct Seat {
    let constraint: LayoutConstraint
    let role: Role
  }

  private var seats: [Seat?] = []
  private(set) var count = 0
  /// Entries written so far, for tests of the cost.
  private(set) var writes = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ constraint: LayoutConstraint, as role: Role) {
    constraint.seats[role.rawValue] = Int32(seats.count)
    seats.append(Seat(constraint: constraint, role: role))
    count += 1
    writes += 1
  }

  /// Takes a constraint out, if it is here.
  /// - Returns: whether it was.
  @discardableResult
  mutating func remove(_ constraint: LayoutConstraint, as role: Role) -> Bool {
    let index = Int(constraint.seats[role.rawValue])
    guard seats.indices.contains(index), let seat = seats[index], seat.constraint === constraint,
      seat.role == role
    else { return false }
    seats[index] = nil
    constraint.seats[role.rawValue] = -1
    count -= 1
    writes += 1
    if seats.count > 2 * count + 8 { closeUp() }
    return true
  }

  mutating func removeAll() {
    for seat in seats {
      if let seat { seat.constraint.seats[seat.role.rawValue] = -1 }
    }
    seats.removeAll(keepingCapacity: true)
    count = 0
  }

  private mutating func closeUp() {
    writes += seats.count
    seats.removeAll { $0 == nil }
    for (index, seat) in seats.enumerated() {
      if let seat { seat.constraint.seats[seat.role.rawValue] = Int32(index) }
    }
  }

  struct Iterator: IteratorProtocol {
    fileprivate var rest: IndexingIterator<[Seat?]>

    mutating func next() -> LayoutConstraint? {
      while let seat = rest.next() {
        if let seat { return seat.constraint }
      }
      return nil
    }
  }

  func makeIterator() -> Iterator { Iterator(rest: seats.makeIterator()) }
}
