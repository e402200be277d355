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
  /// Where lists have it, by ``ConstraintList/Role``.
  var seats = SIMD4<Int32>(repeating: -1)
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
