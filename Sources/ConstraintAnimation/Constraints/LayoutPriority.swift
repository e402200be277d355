/// How much a constraint matters: 1000 must hold, everything below is satisfied as well as possible, higher
/// priorities first. A lower level never outvotes a higher one, however many constraints it has.
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
  public static let fittingSizeLevel: LayoutPriority = 50
}
