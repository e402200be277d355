/// Actions of the dashboard that keys can have, by their names in the configuration and the command palette.
public enum DashboardAction: String, Sendable, Hashable, CaseIterable {
  // Panels
  case histogram
  case log
  case events
  case runs
  case nextPanel = "next-panel"
  case previousPanel = "previous-panel"
  case slideDirection = "slide-direction"
  case rotate

  // Time
  case panBack = "pan-back"
  case panForward = "pan-forward"
  case leapBack = "leap-back"
  case leapForward = "leap-forward"
  case zoomIn = "zoom-in"
  case zoomOut = "zoom-out"
  case follow
  case freeze
  case goTo = "go-to"
  case replay
  case faster
  case slower

  // Plot
  case scale
  case range
  case latencyIn = "latency-in"
  case latencyOut = "latency-out"
  case latencyUp = "latency-up"
  case latencyDown = "latency-down"
  case metric
  case bothLatencies = "both-latencies"
  case target
  case colors = "colours"
  case averages
  case buckets
  case threshold
  case thresholdDown = "threshold-down"
  case thresholdUp = "threshold-up"
  case compare

  // Selection
  case crosshair
  case previousNotification = "previous-notification"
  case nextNotification = "next-notification"
  case beginBox = "begin-box"
  case zoomToBox = "zoom-to-box"
  case chooseNext = "choose-next"
  case choosePrevious = "choose-previous"
  case list
  case exportSelection = "export-selection"
  case exportView = "export-view"
  case dragAction = "drag-action"

  // Lists
  case lineUp = "line-up"
  case lineDown = "line-down"
  case pageUp = "page-up"
  case pageDown = "page-down"
  case listStart = "list-start"
  case listEnd = "list-end"

  // Runs
  case choose
  case mark
  case rename
  case delete
  case startStop = "start-stop"
  case filter

  // Dashboard
  case palette
  case help
  case theme
  case motion
  case releaseMouse = "release-mouse"
  case redraw
  case suspend
  case quit
  case dismiss
}
