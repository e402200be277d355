import ConstraintAnimation
import ConstraintAnimationTestKit
import Testing

@Suite struct PropertyAnimatorTests {
  /// A box whose leading constant an animator takes from 0 to 40.
  final class Scene {
    let window = Window(size: Size(width: 100, height: 10))
    let box = View(identifier: "box")
    let leading: LayoutConstraint
    private(set) var ended: [AnimatingPosition] = []
    /// The model's place when the completion ran.
    private(set) var modelAtEnd: Double?
    var animator: PropertyAnimator

    init(_ curve: TimingCurve = .easeInOut, duration: Duration = .seconds(1)) throws {
      let root = window.root
      root.addSubview(box)
      leading = box.leadingAnchor.constraint(equalTo: root.leadingAnchor)
      try LayoutConstraint.activate([
        leading, box.topAnchor.constraint(equalTo: root.topAnchor),
        box.widthAnchor.constraint(equalToConstant: 10), box.heightAnchor.constraint(equalToConstant: 1),
      ])
      window.advance(to: .zero)
      animator = PropertyAnimator(window: window, duration: duration, curve: curve)
      animator.addAnimations { [unowned self] in
        leading.constant = 40
        box.alpha = 0.5
        box.layoutIfNeeded()
      }
      animator.addCompletion { [unowned self] in
        ended.append($0)
        modelAtEnd = box.windowFrame.minX
      }
    }

    var x: Double { box.presentationFrame.minX }

    func wait(_ milliseconds: Int) { window.advance(to: window.time + .milliseconds(milliseconds)) }
  }

  @Test("without animations it may leave its curve and still ends")
  func noAnimations() throws {
    let scene = try Scene()
    let animator = PropertyAnimator(window: scene.window, duration: .seconds(1), curve: .linear)
    var ended: [AnimatingPosition] = []
    animator.addCompletion { ended.append($0) }
    animator.startAnimation()
    scene.wait(250)
    #expect(abs(animator.fractionComplete - 0.25) < 1e-9)
    animator.pauseAnimation()
    animator.continueAnimation(durationFactor: 0.5)
    #expect((0...1).contains(animator.fractionComplete))
    animator.isReversed = true
    #expect((0...1).contains(animator.fractionComplete))
    scene.wait(2000)
    #expect(ended == [.start] && animator.state == .inactive)
  }

  @Test("states: the table of calls and what they lead to")
  func stateTable() throws {
    enum Call: CaseIterable { case start, pause, proceed, stop, finish, scrub }
    func perform(_ call: Call, _ animator: PropertyAnimator) {
      switch call {
      case .start: animator.startAnimation()
      case .pause: animator.pauseAnimation()
      case .proceed: animator.continueAnimation()
      case .stop: animator.stopAnimation(false)
      case .finish: animator.finishAnimation(at: .end)
      case .scrub: animator.fractionComplete = 0.5
      }
    }
    typealias Row = (state: AnimatingState, running: Bool, misuse: Bool)
    let table: [(setup: [Call], results: [Call: Row])] = [
      (
        [],
        [
          .start: (.active, true, false), .pause: (.active, false, false), .proceed: (.active, true, false),
          .stop: (.inactive, false, true), .finish: (.inactive, false, true), .scrub: (.active, false, false),
        ]
      ),
      (
        [.start],
        [
          .start: (.active, true, false), .pause: (.active, false, false), .proceed: (.active, true, false),
          .stop: (.stopped, false, false), .finish: (.active, true, true), .scrub: (.active, false, false),
        ]
      ),
      (
        [.start, .pause],
        [
          .start: (.active, true, false), .pause: (.active, false, false), .proceed: (.active, true, false),
          .stop: (.stopped, false, false), .finish: (.active, false, true), .scrub: (.active, false, false),
        ]
      ),
      (
        [.start, .stop],
        [
          .start: (.stopped, false, true), .pause: (.stopped, false, true), .proceed: (.stopped, false, true),
          .stop: (.stopped, false, true), .finish: (.inactive, false, false), .scrub: (.stopped, false, true),
        ]
      ),
    ]
    for row in table {
      for call in Call.allCases {
        let scene = try Scene()
        for step in row.setup {
          perform(step, scene.animator)
          scene.wait(100)
        }
        perform(call, scene.animator)
        let expected = try #require(row.results[call])
        #expect(scene.animator.state == expected.state, "\(row.setup) then \(call)")
        #expect(scene.animator.isRunning == expected.running, "\(row.setup) then \(call)")
        #expect(scene.window.diagnostics.isEmpty == !expected.misuse, "\(row.setup) then \(call)")
      }
    }
  }

  @Test("it runs along its curve, completes at its end and rests")
  func runs() throws {
    let scene = try Scene(.easeOut)
    scene.animator.startAnimation(afterDelay: .milliseconds(100))
    scene.wait(100)
    #expect(scene.x == 0)
    scene.wait(500)
    #expect(abs(scene.x - 40 * TimingCurve.easeOut.value(at: 0.5)) < 1e-9)
    #expect(abs(scene.box.presentationAlpha - (1 - 0.5 * TimingCurve.easeOut.value(at: 0.5))) < 1e-9)
    #expect(abs(scene.animator.fractionComplete - TimingCurve.easeOut.value(at: 0.5)) < 1e-9)
    scene.wait(499)
    #expect(scene.ended.isEmpty)
    scene.wait(1)
    #expect(scene.ended == [.end])
    #expect(scene.x == 40)
    scene.window.advance(to: scene.window.time)
    #expect(scene.window.nextDeadline == nil)
  }

  @Test("pausing costs nothing and loses nothing")
  func pause() throws {
    let straight = try Scene()
    straight.animator.startAnimation()
    let paused = try Scene()
    paused.animator.startAnimation()
    paused.wait(300)
    paused.animator.pauseAnimation()
    let x = paused.x
    paused.wait(0)
    #expect(paused.window.nextDeadline == nil)
    paused.wait(700)
    #expect(paused.x == x)
    paused.animator.startAnimation()
    paused.wait(350)
    straight.wait(650)
    #expect(abs(paused.x - straight.x) < 1e-9)
    paused.wait(350)
    #expect(paused.ended == [.end])
  }

  @Test("scrubbing to a fraction and back shows the same frame")
  func scrub() throws {
    let scene = try Scene()
    scene.animator.fractionComplete = 0
    #expect(scene.x == 0)
    var seen: [Double: CellRect] = [:]
    for percent in [10, 60, 35, 99, 0, 100, 35, 10, 60] {
      scene.animator.fractionComplete = Double(percent) / 100
      #expect(abs(scene.x - 0.4 * Double(percent)) < 1e-9)
      if let before = seen[Double(percent)] { #expect(scene.box.cellFrame == before) }
      seen[Double(percent)] = scene.box.cellFrame
    }
    scene.animator.scrubsLinearly = false
    scene.animator.fractionComplete = 0.25
    #expect(abs(scene.x - 40 * TimingCurve.easeInOut.value(at: 0.25)) < 1e-9)
    #expect(scene.animator.fractionComplete == 0.25)
  }

  @Test(
    "reversed at any frame it returns to a start that is the same to the bit",
    arguments: [TimingCurve.easeInOut, .spring(SpringTiming(dampingRatio: 0.6, duration: .seconds(1)))])
  func reverse(curve: TimingCurve) throws {
    for frame in 1..<60 {
      let scene = try Scene(curve)
      let start = LayoutDescription.of(scene.window.root)
      let model = scene.box.windowFrame
      scene.animator.startAnimation()
      scene.window.advance(to: .frame(Int64(frame)))
      let x = scene.x
      scene.animator.isReversed = true
      #expect(abs(scene.x - x) < 1e-9)
      #expect(scene.animator.isRunning)
      scene.wait(3000)
      #expect(scene.ended == [.start])
      #expect(scene.modelAtEnd == 0)
      #expect(scene.box.windowFrame == model)
      #expect(scene.leading.constant == 0 && scene.box.alpha == 1)
      #expect(LayoutDescription.of(scene.window.root) == start)
    }
  }

  @Test("a spring that is turned round keeps its speed")
  func reverseKeepsSpeed() throws {
    let scene = try Scene(.spring(SpringTiming(dampingRatio: 0.75, duration: .seconds(1))))
    scene.animator.startAnimation()
    scene.wait(200)
    let before = scene.box.presentationVelocity.dx
    let x = scene.x
    scene.animator.isReversed = true
    #expect(before > 50)
    #expect(abs(scene.box.presentationVelocity.dx - before) < 1e-6)
    scene.wait(1)
    #expect(abs((scene.x - x) / 0.001 - before) < before * 0.02)
    // It goes on for a moment before it comes back.
    #expect(scene.x > x)
    scene.wait(4000)
    #expect(scene.ended == [.start])
  }

  @Test("at either end model and screen agree, also after the next layout")
  func modelAgrees() throws {
    let scene = try Scene()
    scene.animator.startAnimation()
    scene.wait(400)
    scene.animator.isReversed = true
    scene.wait(1000)
    scene.box.setNeedsLayout()
    scene.wait(10)
    #expect(scene.x == 0 && scene.leading.constant == 0)
    let keeps = try Scene()
    keeps.animator.restoresModelWhenReversed = false
    keeps.animator.startAnimation()
    keeps.wait(400)
    keeps.animator.isReversed = true
    keeps.wait(1000)
    #expect(keeps.leading.constant == 40)
    #expect(keeps.box.alpha == 1)
  }

  @Test("other timing for the rest of the way: from where it is, in the time it is given")
  func otherTiming() throws {
    let scene = try Scene()
    scene.animator.startAnimation()
    scene.wait(500)
    scene.animator.pauseAnimation()
    let x = scene.x
    #expect(abs(x - 20) < 1e-9)
    scene.animator.continueAnimation(withTimingParameters: .linear, durationFactor: 2)
    #expect(abs(scene.x - x) < 1e-9)
    scene.wait(1000)
    #expect(abs(scene.x - 30) < 1e-9)
    scene.wait(999)
    #expect(scene.ended.isEmpty)
    scene.wait(1)
    #expect(scene.ended == [.end])
  }

  @Test("animations added in flight end with it; a second target bends the way without a leap")
  func retarget() throws {
    let scene = try Scene()
    scene.animator.startAnimation()
    scene.wait(500)
    let x = scene.x
    scene.animator.addAnimations {
      scene.leading.constant = 80
      scene.box.layoutIfNeeded()
    }
    #expect(abs(scene.x - x) < 1e-9)
    scene.wait(250)
    #expect(scene.x > x && scene.x < 80)
    scene.wait(250)
    #expect(scene.ended == [.end])
    #expect(scene.x == 80)
    let delayed = try Scene()
    delayed.animator.addAnimations(delayFactor: 0.5) { delayed.box.transform = .translation(x: 0, y: 4) }
    delayed.animator.startAnimation()
    delayed.wait(500)
    #expect(delayed.box.presentationTransform == .identity)
    delayed.wait(250)
    #expect(abs(delayed.box.presentationTransform.ty - 2) < 1e-9)
    delayed.wait(250)
    #expect(delayed.box.presentationTransform.ty == 4)
  }

  @Test("stopped it stands; finished it is at the start, the end or where it stood")
  func stopAndFinish() throws {
    for (position, x) in [(AnimatingPosition.start, 0.0), (.end, 40), (.current, 20)] {
      let scene = try Scene()
      scene.animator.startAnimation()
      scene.wait(500)
      scene.animator.stopAnimation(false)
      scene.wait(300)
      #expect(abs(scene.x - 20) < 1e-9)
      scene.animator.finishAnimation(at: position)
      scene.wait(0)
      #expect(scene.ended == [position])
      #expect(abs(scene.box.windowFrame.minX - x) < 1e-6)
      #expect(abs(scene.leading.constant - x) < 1e-6)
      #expect(abs(scene.box.alpha - (1 - 0.5 * x / 40)) < 1e-6)
      #expect(scene.animator.state == .inactive)
    }
    let dropped = try Scene()
    dropped.animator.startAnimation()
    dropped.wait(500)
    dropped.animator.stopAnimation(true)
    #expect(dropped.animator.state == .inactive)
    #expect(dropped.ended.isEmpty)
    #expect(abs(dropped.leading.constant - 20) < 1e-6)
  }

  @Test("it can wait at its end and be sent back")
  func pausesOnCompletion() throws {
    let scene = try Scene()
    scene.animator.pausesOnCompletion = true
    scene.animator.startAnimation()
    scene.wait(1500)
    #expect(scene.animator.state == .active && !scene.animator.isRunning)
    #expect(scene.ended.isEmpty)
    #expect(scene.x == 40)
    scene.animator.isReversed = true
    scene.animator.startAnimation()
    scene.wait(500)
    #expect(abs(scene.x - 20) < 1e-9)
    scene.animator.pausesOnCompletion = false
    scene.wait(500)
    #expect(scene.ended == [.start])
    #expect(scene.leading.constant == 0)
  }

  @Test("what must not be interrupted is not")
  func uninterruptible() throws {
    let scene = try Scene()
    scene.animator.isInterruptible = false
    scene.animator.startAnimation()
    scene.wait(500)
    scene.animator.pauseAnimation()
    scene.animator.fractionComplete = 0
    #expect(scene.animator.isRunning)
    #expect(scene.window.diagnostics.count == 2)
    scene.wait(500)
    #expect(scene.ended == [.end])
  }

  @Test("the window keeps a running animator alive and lets go of it afterwards")
  func lifetime() throws {
    let scene = try Scene()
    weak var weakly: PropertyAnimator?
    do {
      let animator = PropertyAnimator(window: scene.window, duration: .milliseconds(100), curve: .linear) {
        scene.box.alpha = 0
      }
      weakly = animator
      animator.startAnimation()
    }
    #expect(weakly != nil)
    scene.wait(100)
    #expect(weakly == nil)
    #expect(scene.box.alpha == 0)
  }
}
