import ConstraintAnimation
import ConstraintAnimationTestKit
import Testing

@Suite struct AdditiveTests {
  private func makeBox() -> (Window, View) {
    let window = Window(size: Size(width: 200, height: 20))
    let box = View(identifier: "box")
    box.frame = Rect(x: 0, y: 0, width: 10, height: 2)
    window.root.addSubview(box)
    window.advance(to: .zero)
    return (window, box)
  }

  @Test("toggling every 50 ms for 2 s: speed is continuous, the end is right, every call completes once")
  func toggling() {
    let (window, box) = makeBox()
    var completions: [Bool] = []
    var right = false
    var samples: [Double] = []
    for millisecond in 0..<2600 {
      if millisecond % 50 == 0, millisecond < 2000 {
        right.toggle()
        let target = right ? 100.0 : 0
        window.animate(withDuration: .milliseconds(400)) {
          box.frame = Rect(x: target, y: 0, width: 10, height: 2)
        } completion: {
          completions.append($0)
        }
      }
      window.advance(to: .milliseconds(Int64(millisecond)))
      samples.append(box.presentationFrame.minX)
    }
    let speeds = zip(samples, samples.dropFirst()).map { $1 - $0 }
    let bends = zip(speeds, speeds.dropFirst()).map { abs($1 - $0) }
    // A leap would be tens of cells, a kink a good part of a cell a millisecond.
    #expect((speeds.map(abs).max() ?? 0) < 2)
    #expect((bends.max() ?? 0) < 0.05)
    #expect(samples.last == 0)
    #expect(completions == Array(repeating: true, count: 40))
    #expect(window.nextDeadline == nil || window.nextDeadline == window.time)
  }

  @Test(
    "beginFromCurrentState replaces what runs; a spring takes over the speed, the old block ends unfinished")
  func takesOver() {
    let (window, box) = makeBox()
    var log: [String] = []
    window.animate(withDuration: .seconds(1), curve: .linear) {
      box.frame.origin.x = 100
    } completion: {
      log.append("first \($0)")
    }
    window.advance(to: .milliseconds(500))
    #expect(box.presentationVelocity.dx == 100)
    window.animate(
      withDuration: .milliseconds(500), usingSpringWithDamping: 1, initialSpringVelocity: 0,
      options: .beginFromCurrentState
    ) {
      box.frame.origin.x = 0
    } completion: {
      log.append("second \($0)")
    }
    #expect(log == ["first false"])
    #expect(box.presentationFrame.minX == 50)
    #expect(abs(box.presentationVelocity.dx - 100) < 1e-9)
    window.advance(to: .milliseconds(501))
    #expect(box.presentationFrame.minX > 50)
    window.advance(to: .milliseconds(1000))
    #expect(box.presentationFrame.minX == 0)
    #expect(log == ["first false", "second true"])
  }

  @Test("completions come in the order of their ends, then of their beginnings, each at its own time")
  func order() {
    let (window, box) = makeBox()
    var log: [String] = []
    for (name, length, delay) in [("a", 300, 0), ("b", 100, 0), ("c", 200, 100), ("d", 100, 0)] {
      window.animate(withDuration: .milliseconds(length), delay: .milliseconds(delay)) {
        box.alpha = 1 - box.alpha
      } completion: { finished in
        log.append("\(name) \(finished) \(window.time.nanoseconds / 1_000_000)")
      }
    }
    window.advance(to: .seconds(5))
    #expect(log == ["b true 100", "d true 100", "a true 300", "c true 300"])
  }

  @Test("cancelled animations jump to the model and complete unfinished")
  func cancelled() {
    let (window, box) = makeBox()
    var finished: [Bool] = []
    window.animate(withDuration: .seconds(1)) {
      box.frame.origin.x = 100
      box.alpha = 0
    } completion: {
      finished.append($0)
    }
    window.advance(to: .milliseconds(300))
    window.cancelAnimations(of: window.root)
    #expect(finished == [false])
    #expect(box.presentationFrame.minX == 100 && box.presentationAlpha == 0)
    #expect(!window.isAnimating)
  }

  @Test("repeat and autoreverse")
  func repeating() {
    let (window, box) = makeBox()
    var finished: [Bool] = []
    window.animate(withDuration: .milliseconds(100), curve: .linear, options: [.repeat, .autoreverse]) {
      box.frame.origin.x = 100
    } completion: {
      finished.append($0)
    }
    for (time, x) in [(50, 50.0), (100, 100), (150, 50), (200, 0), (250, 50), (1950, 50)] {
      window.advance(to: .milliseconds(Int64(time)))
      #expect(abs(box.presentationFrame.minX - x) < 1e-6)
    }
    #expect(finished.isEmpty)
    window.cancelAnimations(of: box, finishing: true)
    #expect(finished == [true])
    box.frame.origin.x = 0
    let start = window.time
    window.animate(withDuration: .milliseconds(100), curve: .linear, options: .autoreverse) {
      box.frame.origin.x = 40
    }
    window.advance(to: start + .milliseconds(150))
    #expect(abs(box.presentationFrame.minX - 20) < 1e-6)
    window.advance(to: start + .milliseconds(200))
    #expect(box.presentationFrame.minX == 40)
    #expect(!window.isAnimating)
  }

  @Test("colors, alpha and transforms animate; performWithoutAnimation does not")
  func appearance() {
    let (window, box) = makeBox()
    box.backgroundColor = Color(0, 100, 200)
    box.tintColor = Color(10, 10, 10)
    let child = View()
    box.addSubview(child)
    window.animate(withDuration: .seconds(1), curve: .linear) {
      box.backgroundColor = Color(100, 0, 0)
      box.tintColor = Color(20, 30, 40)
      box.alpha = 0
      window.performWithoutAnimation { box.transform = .translation(x: 3, y: 0) }
    }
    window.advance(to: .milliseconds(500))
    #expect(box.presentationBackgroundColor == Color(50, 50, 100))
    #expect(child.presentationTintColor == Color(15, 20, 25))
    #expect(box.presentationAlpha == 0.5)
    #expect(box.presentationTransform.tx == 3)
    window.advance(to: .seconds(1))
    #expect(box.presentationBackgroundColor == Color(100, 0, 0))
  }

  @Test(
    "levels of motion: nothing travels, or everything jumps; completions come in the same order",
    arguments: MotionLevel.allCases)
  func levels(level: MotionLevel) {
    let (window, box) = makeBox()
    window.motionLevel = level
    var log: [String] = []
    for (name, length) in [("slow", 400), ("fast", 200)] {
      window.animate(withDuration: .milliseconds(length)) {
        box.frame.origin.x += 50
        box.alpha -= 0.4
      } completion: {
        log.append("\(name) \($0)")
      }
    }
    window.advance(to: .milliseconds(1))
    #expect((box.presentationFrame.minX == 100) == (level != .full))
    #expect((box.presentationAlpha < 0.3) == (level == .none))
    #expect(log.isEmpty == (level != .none))
    window.advance(to: .milliseconds(400))
    #expect(log == ["fast true", "slow true"])
    #expect(abs(box.presentationAlpha - 0.2) < 1e-9)
    #expect(box.presentationFrame.minX == 100)
  }

  @Test("a completion that starts the next animation starts it at its own time, whatever the frame rate")
  func chained() {
    let (window, box) = makeBox()
    var ends: [Int64] = []
    func next(_ left: Int) {
      window.animate(withDuration: .milliseconds(37)) {
        box.frame.origin.x += 1
      } completion: { _ in
        ends.append(window.time.nanoseconds)
        if left > 1 { next(left - 1) }
      }
    }
    next(10)
    window.advance(to: .seconds(3))
    #expect(ends == (1...10).map { Int64($0) * 37_000_000 })
  }

  @Test("an endless chain of animations of no duration does not hang a frame")
  func endlessChain() {
    let (window, box) = makeBox()
    var count = 0
    func next() {
      window.animate(withDuration: .zero) {
        box.alpha = 1
      } completion: { _ in
        count += 1
        next()
      }
    }
    next()
    window.advance(to: .milliseconds(16))
    #expect(count == 10_000)
    #expect(window.time == .milliseconds(16))
  }
}
