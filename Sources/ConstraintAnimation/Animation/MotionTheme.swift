/// The numbers of an interface's motion in one value, so that a program tunes them in one place and passes them on.
public struct MotionTheme: Sendable, Hashable {
  /// How panels change.
  public var panels: PagedTransition
  /// How long a dragged page takes to its resting place.
  public var snapDuration: Duration
  /// How long a group makes room for a child, or takes it back.
  public var growDuration: Duration
  /// How long a child takes to appear and to vanish.
  public var fadeDuration: Duration
  /// What appears with a spring.
  public var spring: SpringTiming

  public init(
    panels: PagedTransition = PagedTransition(), snapDuration: Duration = .milliseconds(300),
    growDuration: Duration = .nanoseconds(166_666_667), fadeDuration: Duration = .milliseconds(250),
    spring: SpringTiming = SpringTiming(
      dampingRatio: 0.75, duration: .milliseconds(250), initialVelocity: 0.7)
  ) {
    self.panels = panels
    self.snapDuration = snapDuration
    self.growDuration = growDuration
    self.fadeDuration = fadeDuration
    self.spring = spring
  }
}
