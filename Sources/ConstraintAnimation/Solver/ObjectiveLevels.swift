/// The priorities in use below required, each with a slot in every symbol's objective.
///
/// Slots are handed out as priorities appear, so that a new priority between two others moves nothing; `order` lists
/// them from the most important to the least.
struct ObjectiveLevels: ~Copyable {
  private var priorities = Buffer<Int16>()
  private var uses = Buffer<Int32>()
  private var vacant = Buffer<Int16>()
  /// The slots in use, most important first.
  private(set) var order = Buffer<Int16>()
  /// A slot's place in `order`.
  private(set) var rank = Buffer<Int16>()

  func priority(atRank rank: Int) -> Int16 { priorities[Int(order[rank])] }

  /// The slot of a priority in use.
  func slot(of priority: Int16) -> Int16 {
    for index in 0..<order.count where priorities[Int(order[index])] == priority { return order[index] }
    preconditionFailure("the priority is not in use")
  }

  /// Acquires a share in a priority's slot. `isNew` says that its column of the objective has to be cleared first.
  mutating func acquire(_ priority: Int16) -> (slot: Int16, isNew: Bool) {
    var place = 0
    while place < order.count {
      let slot = order[place]
      let other = priorities[Int(slot)]
      if other == priority {
        uses[Int(slot)] += 1
        return (slot, false)
      }
      if other < priority { break }
      place += 1
    }
    let slot: Int16
    if let free = vacant.popLast() {
      slot = free
    } else {
      slot = Int16(priorities.count)
      priorities.append(0)
      uses.append(0)
      rank.append(0)
    }
    priorities[Int(slot)] = priority
    uses[Int(slot)] = 1
    order.append(slot)
    var index = order.count - 1
    while index > place {
      order[index] = order[index - 1]
      index -= 1
    }
    order[place] = slot
    renumber()
    return (slot, true)
  }

  /// Gives one share back; with the last the slot is vacant.
  mutating func release(_ priority: Int16) {
    for place in 0..<order.count {
      let slot = order[place]
      guard priorities[Int(slot)] == priority else { continue }
      uses[Int(slot)] -= 1
      guard uses[Int(slot)] == 0 else { return }
      vacant.append(slot)
      for index in place..<order.count - 1 { order[index] = order[index + 1] }
      order.count -= 1
      renumber()
      return
    }
  }

  private mutating func renumber() {
    for index in 0..<order.count { rank[Int(order[index])] = Int16(index) }
  }
}
