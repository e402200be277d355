/// A batch: apply what was asked, find the optimum, then keep it all or take it all back.
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
      guard records[place].constant.isFinite else {
        let error = SolverError(.notFinite, constraints: [name(of: place)])
        revertEdits(levelsTaken: false)
        throw error
      }
    }
    beginBatch()
    let before = upkeep
    applyEdits()
    do {
      try optimize()
    } catch {
      restoreTableau()
      revertEdits(levelsTaken: true)
      upkeep = before
      throw error
    }
    settle()
  }

  func name(of place: Int) -> SolverConstraint {
    SolverConstraint(index: Int32(place), generation: records[place].generation)
  }

  private mutating func beginBatch() {
    journal.clear()
    offSlope.removeAll()
    mayImprove = false
    batch &+= 1
    guard batch == 0 else { return }
    for index in 0..<nodes.count {
      nodes[index].valueBatch = 0
      nodes[index].rowBatch = 0
      nodes[index].objectiveBatch = 0
    }
    batch = 1
  }

  /// Brings the tableau up to the edits without looking for the optimum yet.
  private mutating func applyEdits() {
    takeLevels()
    var hasAdditions = false
    for index in 0..<edits.count {
      let place = Int(edits[index])
      let record = records[place]
      if nodes[place].flags.contains(.variable) { continue }
      if record.edits.contains(.added) {
        hasAdditions = true
      } else if record.edits.contains(.removed) {
        release(place)
      } else {
        if record.priority != record.settledPriority { regrade(place) }
        if record.constant != record.settledConstant {
          move(place, by: record.constant - record.settledConstant)
        }
      }
    }
    if hasAdditions { installAdditions() }
    for index in 0..<edits.count {
      let place = Int(edits[index])
      if nodes[place].flags.contains(.leaving) { retire(place) }
    }
    for index in 0..<journal.values.count { queueIfOffSlope(Int(journal.values[index].symbol)) }
  }

  /// Takes a share in the level of each new or regraded constraint. It comes first because the objective's stride may
  /// grow here and nowhere else.
  private mutating func takeLevels() {
    for index in 0..<edits.count {
      let place = Int(edits[index])
      let record = records[place]
      if nodes[place].flags.contains(.variable) { continue }
      if record.edits.contains(.added) || record.priority != record.settledPriority {
        if record.priority < 1000 { acquireLevel(record.priority) }
      }
    }
  }

  private mutating func acquireLevel(_ priority: Int16) {
    let (slot, isNew) = levels.acquire(priority)
    guard isNew else { return }
    if Int(slot) >= stride {
      restride(to: max(2, stride + stride / 2 + 1))
    } else {
      for symbol in 0..<nodes.count { objective[symbol * stride + Int(slot)] = 0 }
    }
  }

  private mutating func restride(to wanted: Int) {
    var wider = Buffer<Double>(capacity: nodes.capacity * wanted)
    wider.fill(to: nodes.count * wanted, with: 0)
    for symbol in 0..<nodes.count {
      for slot in 0..<stride { wider[symbol * wanted + slot] = objective[symbol * stride + slot] }
    }
    objective = wider
    stride = wanted
    slope.fill(to: stride, with: 0)
  }

  /// Puts the new constraints in: equalities first, the most important first, each taking over a symbol that is free
  /// to move if its row has one. That is nearly the basis of the optimum, which leaves the search little to do.
  private mutating func installAdditions() {
    for rank in -1..<levels.order.count {
      let priority = rank < 0 ? 1000 : levels.priority(atRank: rank)
      for index in 0..<edits.count {
        let place = Int(edits[index])
        let record = records[place]
        guard record.priority == priority, record.relation == .equal, record.edits.contains(.added),
          !record.edits.contains(.removed)
        else { continue }
        grade(place)
        install(place)
        if let (free, position) = sparsestFreeSymbol(inRowOf: place) {
          pivot(leaving: place, entering: free, at: position, multiplier: 0)
          if nodes[free].flags.contains(.leaving) { takeOut(free) }
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
      install(place)
    }
  }

  /// Makes the batch the state to return to, and notes which variables it moved.
  private mutating func settle() {
    for index in 0..<edits.count {
      let place = Int(edits[index])
      let record = records[place]
      records[place].edits = []
      if nodes[place].flags.contains(.variable) {
        if record.edits.contains(.removed) {
          clearColumn(place)
          vacate(place)
        }
        continue
      }
      let isNew = record.edits.contains(.added)
      let isGone = record.edits.contains(.removed)
      if isGone {
        if isNew, record.priority < 1000 { levels.release(record.priority) }
        if !isNew {
          if record.settledPriority < 1000 { levels.release(record.settledPriority) }
          if record.priority != record.settledPriority, record.priority < 1000 {
            levels.release(record.priority)
          }
        }
        vacate(place)
      } else {
        if !isNew, record.priority != record.settledPriority, record.settledPriority < 1000 {
          levels.release(record.settledPriority)
        }
        records[place].settledConstant = record.constant
        records[place].settledPriority = record.priority
      }
    }
    edits.removeAll()
    publish()
  }

  private mutating func publish() {
    let nodes = nodes.base
    let records = records.base
    for index in 0..<journal.values.count {
      let place = Int(journal.values[index].symbol)
      let node = nodes + place
      guard node.pointee.flags.contains(.variable) else { continue }
      let value = records[place].constant + (node.pointee.isBasic ? node.pointee.value : 0)
      guard abs(value - records[place].settledConstant) > 1e-9 else { continue }
      records[place].settledConstant = value
      let bit: UInt64 = 1 << UInt64(place & 63)
      if changedWords[place >> 6] & bit == 0 {
        changedWords[place >> 6] |= bit
        changedVariableCount += 1
      }
    }
  }

  /// Forgets the edits since the last successful solve.
  private mutating func revertEdits(levelsTaken: Bool) {
    while let edit = edits.popLast() {
      let place = Int(edit)
      let record = records[place]
      records[place].edits = []
      let isGone = record.edits.contains(.removed)
      if nodes[place].flags.contains(.variable) {
        if isGone { variableCount += 1 }
        continue
      }
      let isNew = record.edits.contains(.added)
      if levelsTaken, isNew || record.priority != record.settledPriority, record.priority < 1000 {
        levels.release(record.priority)
      }
      if isNew {
        if !isGone {
          mention(place, by: -1)
          constraintCount -= 1
        }
        vacate(place)
      } else {
        if isGone {
          mention(place, by: 1)
          constraintCount += 1
        }
        records[place].constant = record.settledConstant
        records[place].priority = record.settledPriority
        grade(place)
      }
    }
  }
}
