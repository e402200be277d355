/// The constraints that hold a view by its center and its size.
public struct CenterConstraints {
  public let centerX: LayoutConstraint
  public let centerY: LayoutConstraint
  public let width: LayoutConstraint
  public let height: LayoutConstraint

  public var all: [LayoutConstraint] { [centerX, centerY, width, height] }
}
