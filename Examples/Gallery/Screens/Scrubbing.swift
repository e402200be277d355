import ConstraintAnimation

/// A property animator in one's hand: started, paused, moved to and fro, turned round, given a spring.
final class Scrubbing: Screen {
  static let card = Card(
    name: "animator", title: "Property animator",
    look: "Drag along the bar, turn round half way, let a spring go on: nothing leaps.",
    sources: ["S5"])

  let ball: Tile
  let shade: Tile
  let bar: ProgressBar
  private(set) var animator: PropertyAnimator?
  private let goRight: LayoutConstraint
  private let shadeBottom: LayoutConstraint
  private let palette: CommandPalette
  private let window: Window
  private(set) var lastEnd: AnimatingPosition?

  init(on stage: Stage) throws {
    let view = stage.view
    palette = stage.palette
    window = stage.window
    ball = Tile("ball", palette.blue, palette)
    shade = Tile("shade", palette.violet, palette)
    shade.caption = "80 points, ease out, a quarter of a second"
    bar = ProgressBar(palette)
    for subview in [ball, bar, shade] { view.addSubview(subview) }

    // At the left unless this matters more: its priority is what the animator changes.
    goRight = ball.trailingAnchor.constraint(equalTo: view.trailingAnchor).with(priority: 250)
    shadeBottom = shade.bottomAnchor.constraint(equalTo: view.bottomAnchor, constant: window.metrics.rows(80))
    try LayoutConstraint.activate([
      goRight, shadeBottom,
      ball.leadingAnchor.constraint(equalTo: view.leadingAnchor).with(priority: 500),
      ball.widthAnchor.constraint(equalToConstant: 14),
      ball.topAnchor.constraint(equalTo: view.topAnchor),
      ball.heightAnchor.constraint(equalToConstant: 5),
      bar.topAnchor.constraint(equalTo: ball.bottomAnchor, constant: 2),
      bar.leadingAnchor.constraint(equalTo: view.leadingAnchor),
      bar.trailingAnchor.constraint(equalTo: view.trailingAnchor),
      bar.heightAnchor.constraint(equalToConstant: 1),
      shade.leadingAnchor.constraint(equalTo: view.leadingAnchor),
      shade.trailingAnchor.constraint(equalTo: view.trailingAnchor),
      shade.heightAnchor.constraint(equalToConstant: window.metrics.rows(80)),
    ])
    bar.addGestureRecognizer(
      PanGestureRecognizer { [weak self] pan in
        guard let self, pan.state == .changed, bar.windowFrame.width > 1 else { return }
        prepared().fractionComplete = pan.location(in: bar).x / (bar.windowFrame.width - 1)
      })
  }

  /// The animator that is active, or a new one.
  private func prepared() -> PropertyAnimator {
    if let animator, animator.state != .inactive { return animator }
    let fresh = PropertyAnimator(window: window, duration: .seconds(2), curve: .easeInOut) { [weak self] in
      guard let self else { return }
      let isRight = goRight.priority > 500
      goRight.priority = isRight ? 250 : 750
      ball.backgroundColor = palette.fill(isRight ? palette.blue : palette.rose)
      ball.tintColor = isRight ? palette.blue : palette.rose
      window.layoutIfNeeded()
    }
    fresh.addCompletion { [weak self] position in self?.lastEnd = position }
    animator = fresh
    return fresh
  }

  private func startOrPause() {
    let animator = prepared()
    if animator.isRunning { animator.pauseAnimation() } else { animator.startAnimation() }
  }

  private func scrub(by step: Double) {
    let animator = prepared()
    animator.fractionComplete += step
  }

  private func stop(at position: AnimatingPosition) {
    guard let animator, animator.state == .active else { return }
    animator.stopAnimation(false)
    animator.finishAnimation(at: position)
  }

  private func toggleShade() {
    let animator = PropertyAnimator(window: window, duration: .milliseconds(250), curve: .easeOut) {
      [weak self] in
      guard let self else { return }
      shadeBottom.constant = shadeBottom.constant == 0 ? window.metrics.rows(80) : 0
      window.layoutIfNeeded()
    }
    animator.startAnimation()
  }

  func refresh() {
    let isOver = animator.map { $0.state == .inactive } ?? true
    bar.fraction = isOver ? 0 : animator?.fractionComplete ?? 0
  }

  var controls: [Control] {
    [
      Control(.character(" "), "start, pause") { [weak self] in self?.startOrPause() },
      Control(.left, "back") { [weak self] in self?.scrub(by: -0.05) },
      Control(.right, "on") { [weak self] in self?.scrub(by: 0.05) },
      Control(.character("r"), "reverse") { [weak self] in self?.prepared().isReversed.toggle() },
      Control(.character("s"), "spring") { [weak self] in
        self?.prepared().continueAnimation(
          withTimingParameters: .spring(SpringTiming(response: .milliseconds(600), dampingRatio: 0.5)))
      },
      Control(.character("e"), "end") { [weak self] in self?.stop(at: .end) },
      Control(.character("t"), "shade") { [weak self] in self?.toggleShade() },
    ]
  }

  var status: String {
    guard let animator, animator.state != .inactive else {
      return "no animator is active" + (lastEnd.map { " · the last one ended at its \($0)" } ?? "")
    }
    return "\(animator.state) · \(animator.isRunning ? "running" : "paused")"
      + (animator.isReversed ? " · reversed" : "")
      + " · \(Int((animator.fractionComplete * 100).rounded())) %"
  }
}
