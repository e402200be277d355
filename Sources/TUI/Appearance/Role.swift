/// What a piece of the dashboard is, as far as its looks go.
enum Role: Int, Sendable, Hashable, CaseIterable {
  case text
  case strong
  case secondary
  /// Frames, axes.
  case faint
  case grid
  case accent
  case brand
  case median
  case mean
  /// The threshold line and what is said about it.
  case threshold
  /// What the crosshair is made of.
  case crosshair
  /// Notifications that were selected.
  case selected
  case live
  case frozen
  case warning
  case alarm
  case ghost
  case bar
  /// A key in the help and in the footer.
  case key
  case pending
  case late
  case missed
  case interrupted
  case rejected
  case failed
  case lost

  init(_ markClass: MarkClass) {
    switch markClass {
    case .pending: self = .pending
    case .good: self = .bar
    case .late: self = .late
    case .missed: self = .missed
    case .interrupted: self = .interrupted
    case .rejected: self = .rejected
    case .failed: self = .failed
    case .lost: self = .lost
    }
  }
}
