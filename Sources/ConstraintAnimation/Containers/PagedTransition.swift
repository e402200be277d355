/// How pages change: how long, along which curve, and what the buttons look like.
public struct PagedTransition: Sendable, Hashable {
  /// What a choice does that comes while pages are moving.
  public enum Interruption: Sendable, Hashable {
    /// The motion turns round from where it is.
    case retarget
    /// It is ignored, and the buttons are disabled until the slide is over.
    case lock
  }

  public var duration: Duration
  public var curve: TimingCurve
  public var activeTint: Color
  public var inactiveTint: Color
  public var interruption: Interruption

  public init(
    duration: Duration = .milliseconds(250), curve: TimingCurve = .easeInOut,
    activeTint: Color = Color(0, 255, 255), inactiveTint: Color = Color(10, 96, 254),
    interruption: Interruption = .retarget
  ) {
    self.duration = duration
    self.curve = curve
    self.activeTint = activeTint
    self.inactiveTint = inactiveTint
    self.interruption = interruption
  }
}

/// The line pages move along.
public enum TransitionAxis: Sendable, Hashable, CaseIterable {
  case horizontal, vertical
}

/// Where a page goes.
public enum SlideDirection: Sendable, Hashable, CaseIterable {
  case left, right, up, down

  var axis: TransitionAxis {
    switch self {
    case .left, .right: .horizontal
    case .up, .down: .vertical
    }
  }

  /// One step in window coordinates.
  var step: Slot {
    switch self {
    case .left: Slot(x: -1, y: 0)
    case .right: Slot(x: 1, y: 0)
    case .up: Slot(x: 0, y: -1)
    case .down: Slot(x: 0, y: 1)
    }
  }
}
