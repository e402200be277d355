import ConstraintAnimation

extension KeyTable {
  /// The keys of scatter and histogram.
  static let plots = [
    line(.plot, "l", "logarithmic or linear axis", short: "log", [(["l"], .toggleScale)]),
    line(.plot, "y", "fit all, cap at p99, keep the range", [(["y"], .toggleRange)]),
    line(
      .plot, "[ ]", "less, more latency in view",
      [(["]"], .plot(.zoomInLatency)), (["["], .plot(.zoomOutLatency))]),
    line(
      .plot, "Shift ↑ ↓", plain: "Shift-Up Down", "pan in latency",
      [([KeyStroke(.up, .shift)], .plot(.panUp)), ([KeyStroke(.down, .shift)], .plot(.panDown))]),
    line(.plot, "v", "delivery, accept, service", short: "value", [(["v"], .nextMetric)]),
    line(.plot, "d", "two values: overlaid, beside, off", [(["d"], .plot(.nextArrangement))]),
    line(.plot, "t", "next target, then all", [(["t"], .nextTarget)]),
    line(.plot, "u", "colours by target or by state", [(["u"], .plot(.nextColoring))]),
    line(.plot, "a", "running median, mean, both, none", [(["a"], .plot(.nextAverages))]),
    line(.plot, "b", "buckets: logarithmic, seconds", [(["b"], .plot(.nextBuckets))]),
    line(.plot, "T", "threshold line, on or off", [(["T"], .plot(.toggleThreshold))]),
    line(
      .plot, "< >", "lower, raise the threshold",
      [(["<"], .plot(.lowerThreshold)), ([">"], .plot(.raiseThreshold))]),
  ]

  /// The keys for picking notifications out, and for taking them along.
  static let selecting = [
    line(
      .selecting, "i", "crosshair; arrows move it", short: "inspect", [(["i"], .plot(.toggleCrosshair))]),
    line(
      .selecting, ", .", "previous, next notification",
      [([","], .plot(.previousNotification)), (["."], .plot(.nextNotification))]),
    line(.selecting, "z", "begin a box at the crosshair", [(["z"], .plot(.beginBox))]),
    line(.selecting, "Z", "zoom to the box or the selection", [(["Z"], .plot(.zoomToBox))]),
    line(
      .selecting, "J K", "select next, last bucket or line",
      [(["J"], .plot(.chooseNext)), (["K"], .plot(.choosePrevious))]),
    line(.selecting, "Enter", "select and list", short: "list", [([KeyStroke(.enter)], .plot(.list))]),
    line(.selecting, "e", "selected ones to a CSV file", [(["e"], .plot(.exportSelection))]),
    line(.selecting, "x", "the view to SVG, ANSI, CSV", [(["x"], .plot(.exportView))]),
    line(.selecting, "D", "drag: pan, zoom or select", [(["D"], .plot(.nextDragAction))]),
    KeyHelp(
      group: .selecting, keys: "Ctrl-drag", plainKeys: "Ctrl-drag", text: "zoom to a box (Alt: select it)",
      short: nil, bindings: []),
    KeyHelp(
      group: .selecting, keys: "wheel", plainKeys: "wheel", text: "zoom time (Alt: latency, Ctrl: both)",
      short: nil, bindings: []),
  ]
}
