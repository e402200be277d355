import ConstraintAnimation

/// Three ways of turning round in flight: adding up, replacing, and a spring that takes the speed over.
final class Additive: Screen {
  static let card = Card(
    name: "additive", title: "Turning round in flight",
    look: "Press space again before they arrive and compare the bends of the traces.",
    sources: ["S1", "S3"])

  /// A box that runs between the ends of its lane.
  struct Lane {
    let box: Tile
    let curve: TimingCurve
    let options: AnimationOptions
  }

  let lanes: [Lane]
  private let goRight: [LayoutConstraint]
  private let trace: Trace
  private let window: Window
  private var isRight = false
  private var lastTime = MotionTime.zero

  private static let duration = Duration.milliseconds(800)

  init(on stage: Stage) throws {
    let (view, palette) = (stage.view, stage.palette)
    window = stage.window
    let spring = SpringTiming(dampingRatio: 0.7, duration: Additive.duration)
    lanes = [
      Lane(box: Tile("adds up", palette.teal, palette), curve: .easeInOut, options: []),
      Lane(
        box: Tile("replaces", palette.amber, palette), curve: .easeInOut, options: .beginFromCurrentState),
      Lane(
        box: Tile("spring", palette.violet, palette), curve: .spring(spring), options: .beginFromCurrentState),
    ]
    trace = Trace(lanes.map { $0.box.tintColor ?? palette.text }, palette)
    view.addSubview(trace)
    var constraints = [
      trace.leadingAnchor.constraint(equalTo: view.leadingAnchor),
      trace.trailingAnchor.constraint(equalTo: view.trailingAnchor),
      trace.bottomAnchor.constraint(equalTo: view.bottomAnchor),
      trace.topAnchor.constraint(equalTo: view.topAnchor, constant: Double(lanes.count * 3)),
    ]
    goRight = lanes.map { lane in
      lane.box.trailingAnchor.constraint(equalTo: view.trailingAnchor).with(priority: 250)
    }
    for (index, lane) in lanes.enumerated() {
      view.addSubview(lane.box)
      constraints += [
        lane.box.leadingAnchor.constraint(equalTo: view.leadingAnchor).with(priority: 500),
        goRight[index],
        lane.box.topAnchor.constraint(equalTo: view.topAnchor, constant: Double(index * 3)),
        lane.box.heightAnchor.constraint(equalToConstant: 3),
        lane.box.widthAnchor.constraint(equalToConstant: 14),
      ]
    }
    try LayoutConstraint.activate(constraints)
  }

  private func toggle() {
    isRight.toggle()
    for (lane, constraint) in zip(lanes, goRight) {
      window.animate(withDuration: Additive.duration, curve: lane.curve, options: lane.options) {
        constraint.priority = isRight ? 750 : 250
        window.layoutIfNeeded()
      }
    }
  }

  /// While something moves: where the boxes are, from 0 at the left to 1 at the right.
  func refresh() {
    guard window.isAnimating, window.time != lastTime, let stage = trace.superview else { return }
    lastTime = window.time
    let way = stage.windowFrame.width - 14
    guard way > 0 else { return }
    trace.add(lanes.map { ($0.box.presentationFrame.minX - stage.windowFrame.minX) / way })
  }

  var controls: [Control] {
    [
      Control(.character(" "), "to the other end") { [weak self] in self?.toggle() },
      Control(.character("c"), "clear") { [weak self] in self?.trace.clear() },
    ]
  }

  var status: String {
    "going \(isRight ? "right" : "left") · "
      + lanes.map { "\($0.box.title) \(speed($0.box))" }.joined(separator: ", ") + " columns/s"
  }

  private func speed(_ box: View) -> Int { Int(box.presentationVelocity.dx.rounded()) }
}
