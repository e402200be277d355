import ConstraintAnimation

/// The same animations with full motion, with colors only, with none: completions come in the same order.
final class MotionLevels: Screen {
  static let card = Card(
    name: "motion", title: "Motion levels",
    look: "Basic: colors blend, nothing travels. None: all is at its end at once.",
    sources: ["S1", "S2", "S3", "S4", "S5"])

  let runners: [Tile]
  private(set) var completions: [String] = []
  private let goRight: [LayoutConstraint]
  private let log: Label
  private let palette: CommandPalette
  private let window: Window
  private var isRight = false

  private static let durations: [Duration] = [.milliseconds(900), .milliseconds(300), .milliseconds(600)]

  init(on stage: Stage) throws {
    let view = stage.view
    palette = stage.palette
    window = stage.window
    let palette = stage.palette
    runners = ["900 ms", "300 ms", "600 ms"].map { Tile($0, palette.blue, palette) }
    log = Label(style: CellStyle(foreground: palette.secondary))
    view.addSubview(log)
    goRight = runners.map { runner in
      runner.trailingAnchor.constraint(equalTo: view.trailingAnchor).with(priority: 250)
    }
    var constraints =
      goRight + [
        log.topAnchor.constraint(equalTo: view.topAnchor, constant: 13),
        log.leadingAnchor.constraint(equalTo: view.leadingAnchor),
        log.trailingAnchor.constraint(equalTo: view.trailingAnchor),
        log.bottomAnchor.constraint(equalTo: view.bottomAnchor),
      ]
    for (index, runner) in runners.enumerated() {
      view.addSubview(runner)
      constraints += [
        runner.leadingAnchor.constraint(equalTo: view.leadingAnchor).with(priority: 500),
        runner.topAnchor.constraint(equalTo: view.topAnchor, constant: Double(index * 4)),
        runner.heightAnchor.constraint(equalToConstant: 3),
        runner.widthAnchor.constraint(equalToConstant: 14),
      ]
    }
    try LayoutConstraint.activate(constraints)
  }

  private func run() {
    isRight.toggle()
    completions = []
    let hue = isRight ? palette.rose : palette.blue
    for index in runners.indices {
      let runner = runners[index]
      window.animate(withDuration: MotionLevels.durations[index], options: .layoutFirst) {
        goRight[index].priority = isRight ? 750 : 250
        runner.tintColor = hue
        runner.backgroundColor = palette.fill(hue)
        window.layoutIfNeeded()
      } completion: { [weak self] finished in
        self?.completions.append("\(runner.title)\(finished ? "" : " unfinished")")
      }
    }
  }

  func refresh() {
    log.text = "completed, in order: " + (completions.isEmpty ? "–" : completions.joined(separator: ", "))
  }

  var controls: [Control] {
    [
      Control(.character(" "), "run") { [weak self] in self?.run() },
      Control(.character("1"), "full") { [weak self] in self?.window.motionLevel = .full },
      Control(.character("2"), "basic") { [weak self] in self?.window.motionLevel = .basic },
      Control(.character("3"), "none") { [weak self] in self?.window.motionLevel = .none },
    ]
  }

  var status: String { "motion: \(window.motionLevel)" }
}
