import Configuration
import ConstraintAnimation

extension KeyTable {
  /// The keys of scatter and histogram.
  static let plots = [
    line(
      .plot, "logarithmic or linear axis", short: "log",
      [(.scale, .toggleScale, ["l"], "logarithmic or linear axis")]),
    line(
      .plot, "fit all, cap at p99, keep the range",
      [(.range, .toggleRange, ["y"], "fit all latencies, cap at p99, keep the range")]),
    line(
      .plot, "less, more latency in view",
      [
        (.latencyIn, .plot(.zoomInLatency), ["]"], "less latency in view"),
        (.latencyOut, .plot(.zoomOutLatency), ["["], "more latency in view"),
      ]),
    line(
      .plot, "pan in latency",
      [
        (.latencyUp, .plot(.panUp), [KeyStroke(.up, .shift)], "pan to higher latencies"),
        (.latencyDown, .plot(.panDown), [KeyStroke(.down, .shift)], "pan to lower latencies"),
      ]),
    line(
      .plot, "delivery, accept, service", short: "value",
      [(.metric, .nextMetric, ["v"], "next of delivery, accept and service")]),
    line(
      .plot, "two values: overlaid, beside, off",
      [(.bothLatencies, .plot(.nextArrangement), ["d"], "two values: overlaid, beside each other, off")]),
    line(.plot, "next target, then all", [(.target, .nextTarget, ["t"], "next target, then all")]),
    line(
      .plot, "colors by target or by state",
      [(.colors, .plot(.nextColoring), ["u"], "colors by target or by state")]),
    line(
      .plot, "running median, mean, both, none",
      [(.averages, .plot(.nextAverages), ["a"], "running median, mean, both, none")]),
    line(
      .plot, "buckets: logarithmic, seconds",
      [(.buckets, .plot(.nextBuckets), ["b"], "buckets: logarithmic or seconds")]),
    line(
      .plot, "threshold line, on or off",
      [(.threshold, .plot(.toggleThreshold), ["T"], "threshold line, on or off")]),
    line(
      .plot, "lower, raise the threshold",
      [
        (.thresholdDown, .plot(.lowerThreshold), ["<"], "lower the threshold"),
        (.thresholdUp, .plot(.raiseThreshold), [">"], "raise the threshold"),
      ]),
    line(
      .plot, "compare targets or runs", short: "compare",
      [(.compare, .compare, ["c"], "compare two targets, or two marked runs")]),
  ]

  /// The keys for picking notifications out, and for taking them along.
  static let selecting = [
    line(
      .selecting, "crosshair; arrows move it", short: "inspect",
      [(.crosshair, .plot(.toggleCrosshair), ["i"], "crosshair that the arrows move, or none")]),
    line(
      .selecting, "previous, next notification",
      [
        (.previousNotification, .plot(.previousNotification), [","], "previous notification"),
        (.nextNotification, .plot(.nextNotification), ["."], "next notification"),
      ]),
    line(
      .selecting, "begin a box at the crosshair",
      [(.beginBox, .plot(.beginBox), ["z"], "begin a box at the crosshair, or give it up")]),
    line(
      .selecting, "zoom to the box or the selection",
      [(.zoomToBox, .plot(.zoomToBox), ["Z"], "zoom to the box or the selection")]),
    line(
      .selecting, "select next, last bucket or line",
      [
        (.chooseNext, .plot(.chooseNext), ["J"], "select the next bucket or line"),
        (.choosePrevious, .plot(.choosePrevious), ["K"], "select the bucket or line before"),
      ]),
    line(
      .selecting, "select and list; open a run", short: "list",
      [
        (.list, .plot(.list), [KeyStroke(.enter)], "list the selected notifications, open the chosen run"),
        (.choose, .choose, [], "open the chosen run"),
      ]),
    line(
      .selecting, "selected ones to a CSV file",
      [(.exportSelection, .plot(.exportSelection), ["e"], "write the selected notifications to a CSV file")]),
    line(
      .selecting, "the view to SVG, ANSI, CSV",
      [(.exportView, .plot(.exportView), ["x"], "write the view as SVG, ANSI or CSV")]),
    line(
      .selecting, "drag: pan, zoom or select",
      [(.dragAction, .plot(.nextDragAction), ["D"], "a drag pans, zooms or selects")]),
    KeyHelp(gesture: "Ctrl-drag", group: .selecting, text: "zoom to a box (Alt: select it)"),
    KeyHelp(gesture: "wheel", group: .selecting, text: "zoom time (Alt: latency, Ctrl: both)"),
  ]
}
