/// Handing out places for symbols, and what the caller asked of them.
extension SimplexSolver {
  /// A place for a symbol, the one given back last if there is one. All tables grow together, here and nowhere else.
  mutating func takePlace() -> Int32 {
    if let place = freePlaces.popLast() {
      nodes[Int(place)] = SymbolNode()
      for slot in 0..<stride { objective[Int(place) * stride + slot] = 0 }
      return place
    }
    precondition(nodes.count < Int(Int32.max), "more symbols than a place can number")
    let place = Int32(nodes.count)
    nodes.append(SymbolNode())
    records.append(SymbolRecord())
    scratch.append(ScratchSlot())
    let room = nodes.capacity
    journal.values.reserve(room)
    objective.reserve(room * stride)
    objective.fill(to: nodes.count * stride, with: 0)
    changedWords.fill(to: (nodes.count + 63) / 64, with: 0)
    return place
  }

  /// Puts a symbol on the list of edits.
  mutating func list(_ place: Int) {
    guard !records[place].edits.contains(.listed) else { return }
    records[place].edits.insert(.listed)
    edits.append(Int32(place))
  }

  /// Merges terms by variable, drops those that cancel, and counts the mentions.
  mutating func store(_ terms: Span<SolverTerm>, in record: inout SymbolRecord) {
    gathered.removeAll()
    for index in terms.indices {
      let place = Int(terms[index].variable.index)
      if scratch[place].seen == 0 {
        scratch[place].seen = 1
        gathered.append(Int32(place))
      }
      scratch[place].value += terms[index].coefficient
    }
    var count = 0
    for index in 0..<gathered.count where scratch[Int(gathered[index])].value != 0 { count += 1 }
    if count > 0 {
      let stored = UnsafeMutablePointer<StoredTerm>.allocate(capacity: count)
      count = 0
      for index in 0..<gathered.count {
        let variable = gathered[index]
        let coefficient = scratch[Int(variable)].value
        guard coefficient != 0 else { continue }
        (stored + count).initialize(to: StoredTerm(coefficient: coefficient, variable: variable))
        records[Int(variable)].mentions += 1
        count += 1
      }
      record.terms = stored
      record.termCount = Int32(count)
    }
    for index in 0..<gathered.count { scratch[Int(gathered[index])] = ScratchSlot() }
  }

  /// Counts a constraint's mentions of its variables up or down.
  mutating func mention(_ place: Int, by count: Int32) {
    let record = records[place]
    guard let terms = record.terms else { return }
    for index in 0..<Int(record.termCount) { records[Int(terms[index].variable)].mentions += count }
  }

  /// Gives a symbol's place back; whoever still holds its name will be caught.
  mutating func vacate(_ place: Int) {
    assert(!nodes[place].isBasic)
    nodes[place].block?.deallocate()
    nodes[place] = SymbolNode()
    records[place].terms?.deallocate()
    let generation = records[place].generation
    records[place] = SymbolRecord()
    records[place].generation = generation &+ 1
    freePlaces.append(Int32(place))
  }
}
