/// `firstItem.firstAttribute relation multiplier × secondItem.secondAttribute + constant`.
///
/// The constant and the priority may change while the constraint is active; neither rebuilds anything. The priority
/// may cross `required` in both directions. Items are referred to weakly: a constraint never keeps a view alive.
public final class LayoutConstraint: AnimatedObject {
  public private(set) weak var firstItem: LayoutItem?
  public let firstAttribute: LayoutAttribute
  public private(set) weak var secondItem: LayoutItem?
  public let secondAttribute: LayoutAttribute?
  public let relation: LayoutRelation
  public let multiplier: Double

  /// A name for error messages.
  public var identifier: String?

  /// Cells. Values that are not finite are refused and leave the old one.
  public var constant: Double {
    didSet {
      guard constant.isFinite else {
        constant = oldValue
        report(.notFinite(description))
        return
      }
      if constant != oldValue { window?.constantChanged(self, from: oldValue) }
    }
  }

  /// Raising it to `required` can contradict other required constraints: the old priority then stays and the
  /// window reports the conflict. Use ``setPriority(_:)`` to have it thrown.
  public var priority: LayoutPriority {
    get { storedPriority }
    set {
      do throws(LayoutError) {
        try setPriority(newValue)
      } catch {
        report(.layout(error))
      }
    }
  }

  /// Whether it takes part in the layout. Setting it to true on a constraint that contradicts the required ones
  /// leaves it inactive and reports to the window; so does one whose items have no view above both. When neither item
  /// is in a window, the window they come into hears of it. ``activate(_:)`` throws instead.
  public var isActive: Bool {
    get { owner != nil }
    set {
      if newValue {
        do throws(LayoutError) {
          try LayoutConstraint.activate([self])
        } catch {
          report(.layout(error))
        }
      } else {
        LayoutConstraint.deactivate([self])
      }
    }
  }

  /// The view that holds it while it is active: the nearest common ancestor of its items.
  public internal(set) weak var owner: View?

  var storedPriority: LayoutPriority
  /// The window whose solver has it.
  weak var window: Window?
  var handle: SolverConstraint?
  /// The constraint's index in each list, by ``ConstraintList/Role``.
  var listIndices = SIMD4<Int32>(repeating: -1)
  /// Where running blocks keep tracks of its constant.
  var trackPlaces: [TrackPlace] = []
  /// What animations with `resolveEachFrame` add to the constant at this instant.
  var constantOffset = 0.0
  /// The constant as of the last layout pass, if it has changed since outside an animator.
  var constantBeforeLayout: Double?
  /// Made by the library from a view's content size.
  var isIntrinsic = false
  private let hasSecondItem: Bool

  public init(
    item: LayoutItem, attribute: LayoutAttribute, relatedBy relation: LayoutRelation,
    toItem other: LayoutItem?, attribute otherAttribute: LayoutAttribute?, multiplier: Double = 1,
    constant: Double = 0, priority: LayoutPriority = .required
  ) {
    firstItem = item
    firstAttribute = attribute
    secondItem = other
    secondAttribute = other == nil ? nil : otherAttribute
    self.relation = relation
    self.multiplier = multiplier
    self.constant = constant
    storedPriority = priority
    hasSecondItem = other != nil
  }

  /// The same constraint with another priority, for chains: `a.constraint(…).with(priority: 750)`.
  public func with(priority: LayoutPriority) -> LayoutConstraint {
    self.priority = priority
    return self
  }

  /// Sets ``identifier``, which diagnostics name, and returns the constraint itself.
  public func with(identifier: String) -> LayoutConstraint {
    self.identifier = identifier
    return self
  }

  /// - Throws: `LayoutError.unsatisfiable` when it would become required and cannot hold; nothing has changed then.
  public func setPriority(_ priority: LayoutPriority) throws(LayoutError) {
    guard priority != storedPriority else { return }
    if let window {
      try window.setPriority(priority, of: self)
    } else {
      storedPriority = priority
    }
  }

  /// Sign with which the constant moves an edge of `view`: +1 when a larger constant moves it right or down, -1 when
  /// it moves it left or up.
  ///
  /// `page.trailing == host.trailing + c` and `host.trailing == page.trailing + c` look alike in a list of
  /// constraints and work in opposite directions; interface builders write the second form.
  public func edgeSign(for view: LayoutItem) -> Double {
    if firstItem === view { return 1 }
    return multiplier < 0 ? 1 : -1
  }

  /// Tells the window of one of its items, or the one they come into.
  func report(_ diagnostic: LayoutDiagnostic) {
    if let window = window ?? firstItem?.hostView?.window ?? secondItem?.hostView?.window {
      window.report(diagnostic)
    } else {
      firstItem?.hostView?.report(diagnostic)
    }
  }

  /// Whether one of its items has gone.
  var isDangling: Bool { firstItem == nil || (hasSecondItem && secondItem == nil) }
}

extension LayoutConstraint {
  /// Activates all or none.
  ///
  /// Constraints of views in a window are tried at once; those of views that are in no window yet are tried when the
  /// views come into one, and conflicts are then reported there. Give them in one call: a call costs one solution.
  /// - Throws: the first error; the constraints this call had activated are inactive again.
  public static func activate(_ constraints: [LayoutConstraint]) throws(LayoutError) {
    var fresh: [LayoutConstraint] = []
    do throws(LayoutError) {
      for constraint in constraints where !constraint.isActive {
        try constraint.hold()
        fresh.append(constraint)
      }
      if let window = fresh.lazy.compactMap(\.window).first { try window.validate(fresh) }
    } catch {
      for constraint in fresh { constraint.deactivate() }
      throw error
    }
    for constraint in fresh where !constraint.isIntrinsic {
      constraint.window?.remember(.activation(constraint, wasActive: false))
    }
  }

  /// Removes them from the layout. Animations of their constants end with `finished == false`.
  public static func deactivate(_ constraints: [LayoutConstraint]) {
    var windows: [Window] = []
    for constraint in constraints {
      guard constraint.isActive else { continue }
      if let window = constraint.window {
        if windows.last !== window { windows.append(window) }
        if !constraint.isIntrinsic { window.remember(.activation(constraint, wasActive: true)) }
      }
      constraint.deactivate()
    }
    for window in windows { window.deliverInterrupted() }
  }

  /// Attaches the constraint to the nearest common ancestor, and to the solver when that is in a window.
  private func hold() throws(LayoutError) {
    guard let first = firstItem, !isDangling else { throw .noCommonAncestor(description) }
    guard constant.isFinite, multiplier.isFinite else { throw .notFinite(description) }
    guard hasComparableAttributes else { throw .incompatibleAttributes(description) }
    guard let holder = View.commonAncestor(of: first, and: secondItem) else {
      throw .noCommonAncestor(description)
    }
    owner = holder
    holder.heldConstraints.append(self, as: .held)
    first.attachedConstraints.append(self, as: .first)
    if let second = secondItem, second !== first { second.attachedConstraints.append(self, as: .second) }
    guard let window = holder.window else { return }
    do throws(LayoutError) {
      try window.engine.insert(self, in: window, holder: holder)
    } catch {
      deactivate()
      throw error
    }
  }

  func deactivate() {
    guard let holder = owner else { return }
    let window = self.window
    window?.engine.extract(self)
    window?.endTracks(of: self)
    owner = nil
    holder.heldConstraints.remove(self, as: .held)
    firstItem?.attachedConstraints.remove(self, as: .first)
    secondItem?.attachedConstraints.remove(self, as: .second)
  }

  private var hasComparableAttributes: Bool {
    guard let secondAttribute else { return firstAttribute.isDimension }
    if firstAttribute.isDimension || secondAttribute.isDimension {
      return firstAttribute.isDimension && secondAttribute.isDimension
    }
    return firstAttribute.isHorizontal == secondAttribute.isHorizontal
  }
}

extension LayoutConstraint: CustomStringConvertible {
  /// `page.leading == host.leading + 80 @750`, with the identifier in front when there is one.
  public var description: String {
    var text = identifier.map { "\($0): " } ?? ""
    text += "\(firstItem?.name ?? "gone").\(firstAttribute) \(relation.symbol) "
    if let secondAttribute {
      if multiplier != 1 { text += "\(multiplier) × " }
      text += "\(secondItem?.name ?? "gone").\(secondAttribute)"
      if constant != 0 { text += constant < 0 ? " - \(-constant)" : " + \(constant)" }
    } else {
      text += "\(constant)"
    }
    if storedPriority != .required { text += " @\(storedPriority.rawValue)" }
    return text
  }
}

/// The edge, size or center of an item that a constraint relates.
public enum LayoutAttribute: UInt8, Sendable, Hashable, CaseIterable {
  case leading, trailing, top, bottom, width, height, centerX, centerY

  var isHorizontal: Bool {
    switch self {
    case .leading, .trailing, .width, .centerX: true
    case .top, .bottom, .height, .centerY: false
    }
  }

  var isDimension: Bool { self == .width || self == .height }
}

/// How the two sides of a constraint compare.
public enum LayoutRelation: Sendable, Hashable {
  case lessThanOrEqual, equal, greaterThanOrEqual

  var symbol: String {
    switch self {
    case .lessThanOrEqual: "<="
    case .equal: "=="
    case .greaterThanOrEqual: ">="
    }
  }
}

/// A constraint's priority: 1000 is required, everything below is satisfied as well as possible, higher
/// priorities first. A lower priority never outweighs a higher one, however many constraints it has.
public struct LayoutPriority: RawRepresentable, Comparable, Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// 1…1000.
  public let rawValue: Int

  /// Values outside 1…1000 are clamped.
  public init(rawValue: Int) { self.rawValue = min(max(rawValue, 1), 1000) }

  public init(integerLiteral value: Int) { self.init(rawValue: value) }

  public static func < (left: LayoutPriority, right: LayoutPriority) -> Bool {
    left.rawValue < right.rawValue
  }

  public static let required: LayoutPriority = 1000
  public static let defaultHigh: LayoutPriority = 750
  public static let defaultLow: LayoutPriority = 250
}

/// Constraints in the order they came. Taking one out costs the same however many there are: each constraint knows its
/// index, and empty entries are removed when they outnumber the others.
struct ConstraintList: Sequence {
  /// The lists a constraint can be in at one time.
  enum Role: Int {
    /// The list of the view that holds the constraint.
    case held
    /// The list of the constraint's first item.
    case first
    /// The list of the constraint's second item, when that is another view.
    case second
    /// The list of constraints that the solver has not accepted yet.
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

  mutating func append(_ constraint: LayoutConstraint, as role: Role) {
    constraint.listIndices[role.rawValue] = Int32(entries.count)
    entries.append(Entry(constraint: constraint, role: role))
    count += 1
    writes += 1
  }

  /// Removes a constraint, if it is here.
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
