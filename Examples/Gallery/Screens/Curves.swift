import ConstraintAnimation

/// Every timing curve as a plot, and a dot that follows it: along the plot by time, up by progress.
final class Curves: Screen {
  static let card = Card(
    name: "curves", title: "Curves and springs",
    look: "Two animations of each dot: its column moves evenly, its row by the curve.",
    sources: ["S1", "S3", "S5"])

  static let curves: [(name: String, curve: TimingCurve)] = [
    ("linear", .linear), ("ease in", .easeIn), ("ease out", .easeOut), ("ease in out", .easeInOut),
    ("default", .default), ("bezier", .cubicBezier(x1: 0.7, y1: -0.4, x2: 0.3, y2: 1.4)),
    ("spring 0.5", .spring(SpringTiming(dampingRatio: 0.5, duration: duration))),
    ("steps 5", .steps(5)),
  ]

  private static let duration = Duration.milliseconds(1500)

  let plots: [CurvePlot]
  private let window: Window
  private(set) var isAtEnd = false

  init(on stage: Stage) throws {
    window = stage.window
    plots = zip(0..., Curves.curves).map { index, entry in
      let hues = stage.palette.hues
      return CurvePlot(entry.name, entry.curve, hues[index % hues.count], stage.palette)
    }
    let grid = StackGroup(axis: .vertical, margin: 0)
    grid.children = [plots[..<4], plots[4...]].map { part in
      let row = StackGroup(axis: .horizontal, margin: 0)
      row.children = Array(part)
      return row
    }
    stage.view.addSubview(grid)
    try LayoutConstraint.activate(grid.pinned(to: stage.view))
  }

  private func run() {
    isAtEnd.toggle()
    for plot in plots {
      // They add up: each moves what it changed.
      window.animate(withDuration: Curves.duration, curve: .linear, options: .layoutFirst) {
        plot.time = isAtEnd ? 1 : 0
        window.layoutIfNeeded()
      }
      window.animate(withDuration: Curves.duration, curve: plot.curve) {
        plot.progress = isAtEnd ? 1 : 0
        window.layoutIfNeeded()
      }
    }
  }

  var controls: [Control] {
    [Control(.character(" "), "forth or back; again in flight turns it round") { [weak self] in self?.run() }]
  }

  var status: String { isAtEnd ? "at the end, or on the way there" : "at the start, or on the way back" }
}
