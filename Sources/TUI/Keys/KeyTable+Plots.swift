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
}
