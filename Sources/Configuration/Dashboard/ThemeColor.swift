/// The colors of a theme by what they are for, as a theme's file names them.
public enum ThemeColor: String, Sendable, Hashable, CaseIterable {
  case background
  case text
  case secondary
  /// Frames and axes.
  case faint
  case grid
  case accent
  case activeTab = "active-tab"
  case inactiveTab = "inactive-tab"
  case median
  case live
  case warning
  case alarm
  case pending
  case late
  case missed
  case interrupted
  case rejected
  case failed
  case lost
  case ghost
}
