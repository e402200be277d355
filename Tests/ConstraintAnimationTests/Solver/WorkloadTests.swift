import Testing

@testable import ConstraintAnimation

/// Whole layouts: a form, dashboards, a tree of pinned views, a long stack.
@Suite struct WorkloadTests {
  static let names = [
    "enaml", "grid160", "grid360", "pinned1000", "grid1000", "chain1000", "ratatui14", "star1000",
  ]

  /// Constants changed in place come to the same as a layout built with them.
  @Test(arguments: names)
  func changesInPlaceEqualARebuild(name: String) throws {
    let file = try WorkloadFile(name)
    var built = try BuiltSystem(file.system)
    try built.solver.solve()
    let first = (file.system.constraints[file.size.0].constant, file.system.constraints[file.size.1].constant)
    for step in 1...12 {
      let shift = Double(step * 7 % 40)
      built.setConstant(at: file.slide.0, shift)
      built.setConstant(at: file.slide.1, shift)
      try built.solver.solve()
      built.setConstant(at: file.size.0, (first.0 * Double(step * 11 % 17 + 9) / 17).rounded())
      built.setConstant(at: file.size.1, (first.1 * Double(step * 5 % 13 + 7) / 13).rounded())
      try built.solver.solve()
    }
    let values = built.values
    let difference = built.system.firstDifference(values, try built.rebuilt(), tolerance: 1e-5)
    #expect(difference == nil)
    for constraint in built.system.constraints where constraint.priority == 1000 {
      #expect(constraint.error(values) < 1e-6)
    }
    let linked = built.solver.isLinkedThroughout
    #expect(linked)
  }

  /// Each frame of a slide touches no table's size: what it needs, it has.
  @Test(arguments: ["grid360", "pinned1000"])
  func slideFramesNeedNoMoreRoom(name: String) throws {
    let file = try WorkloadFile(name)
    var built = try BuiltSystem(file.system)
    try built.solver.solve()
    var footprint = 0
    for frame in 0..<240 {
      let shift = Double(frame % 60)
      built.setConstant(at: file.slide.0, shift)
      built.setConstant(at: file.slide.1, shift)
      try built.solver.solve()
      if frame == 60 { footprint = built.solver.footprint }
    }
    #expect(built.solver.footprint == footprint)
  }

  /// Hours of animation do not wear the numbers down.
  @Test func aLongAnimationDoesNotDrift() throws {
    let file = try WorkloadFile("grid160")
    var built = try BuiltSystem(file.system)
    try built.solver.solve()
    let start = built.values
    for frame in 1...TestScale.count(20_000) {
      built.setConstant(at: file.slide.0, Double(frame % 977) / 9.77)
      built.setConstant(at: file.slide.1, Double(frame % 977) / 9.77)
      if frame % 50 == 0 { built.setConstant(at: file.size.0, Double(100 + frame % 173)) }
      try built.solver.solve()
    }
    #expect(built.solver.tableau.largestResidual() < 1e-10)
    built.setConstant(at: file.slide.0, 0)
    built.setConstant(at: file.slide.1, 0)
    built.setConstant(at: file.size.0, file.system.constraints[file.size.0].constant)
    try built.solver.solve()
    #expect(built.system.firstDifference(built.values, start) == nil)
  }

  /// Taking constraints out and putting them back for ever needs no more memory than the first rounds.
  @Test func removingAndAddingAgainStaysFlat() throws {
    let file = try WorkloadFile("grid160")
    var built = try BuiltSystem(file.system)
    try built.solver.solve()
    var footprint = 0
    let rounds = TestScale.count(4000)
    for round in 0..<rounds {
      let index = (round * 37) % built.names.count
      let constraint = built.system.constraints[index]
      built.remove(at: index)
      if round.isMultiple(of: 3) { try built.solver.solve() }
      try built.add(constraint)
      try built.solver.solve()
      if round == rounds / 4 { footprint = built.solver.footprint }
    }
    #expect(built.solver.footprint <= footprint * 5 / 4)
    #expect(built.system.firstDifference(built.values, try built.rebuilt()) == nil)
  }
}
