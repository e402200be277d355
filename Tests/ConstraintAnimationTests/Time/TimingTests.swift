import ConstraintAnimation
import ConstraintAnimationTestKit
import Measurement
import Testing

@Suite struct TimingTests {
  @Test(
    "Bézier curves at eighths of their time",
    arguments: [
      (TimingCurve.easeIn, [0, 0.02598, 0.09346, 0.19202, 0.31536, 0.45947, 0.62186, 0.80142, 1]),
      (.easeOut, [0, 0.19858, 0.37814, 0.54053, 0.68464, 0.80798, 0.90654, 0.97402, 1]),
      (.easeInOut, [0, 0.03111, 0.12916, 0.29277, 0.5, 0.70723, 0.87084, 0.96889, 1]),
      (.default, [0, 0.13689, 0.40851, 0.64532, 0.8024, 0.90137, 0.96046, 0.99097, 1]),
      (.linear, [0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1]),
      (.steps(4), [0, 0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1]),
    ])
  func curves(curve: TimingCurve, golden: [Double]) {
    for (eighth, value) in golden.enumerated() {
      #expect(abs(curve.value(at: Double(eighth) / 8) - value) < 6e-6)
    }
  }

  @Test("any Bézier runs from 0 to 1 and is as its definition says")
  func bezierDefinition() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<300 {
      let (x1, x2) = (
        Double.random(in: 0...1, using: &generator), Double.random(in: 0...1, using: &generator)
      )
      let (y1, y2) = (
        Double.random(in: -1...2, using: &generator), Double.random(in: -1...2, using: &generator)
      )
      let curve = TimingCurve.cubicBezier(x1: x1, y1: y1, x2: x2, y2: y2)
      #expect(curve.value(at: 0) == 0 && curve.value(at: 1) == 1)
      let s = Double.random(in: 0.01...0.99, using: &generator)
      func cubic(_ first: Double, _ second: Double) -> Double {
        3 * (1 - s) * (1 - s) * s * first + 3 * (1 - s) * s * s * second + s * s * s
      }
      // A vertical stretch has many values for one time; leave those out.
      let steepness = 3 * (1 - s) * (1 - s) * x1 + 6 * (1 - s) * s * (x2 - x1) + 3 * s * s * (1 - x2)
      if steepness > 0.05 { #expect(abs(curve.value(at: cubic(x1, x2)) - cubic(y1, y2)) < 1e-9) }
    }
  }

  @Test("the source's spring: parameters and samples at 60 Hz")
  func goldenSpring() {
    let spring = SpringTiming(dampingRatio: 0.75, duration: .milliseconds(250), initialVelocity: 0.7)
    #expect(abs(spring.stiffness - 1524.5774) < 1e-3)
    #expect(abs(spring.damping - 58.568757) < 1e-5)
    let golden = [
      0, 0.158707, 0.438183, 0.690183, 0.866028, 0.967262, 1.013952, 1.027900, 1.025869, 1.018349, 1.010725,
      1.005051, 1.001595, 0.999876, 0.999261, 0.999222, 0.999411,
    ]
    for (frame, value) in golden.enumerated() {
      #expect(abs(spring.value(at: .nanoseconds(frame * 1_000_000_000 / 60)) - value) < 1e-6)
    }
    #expect(abs(spring.value(at: .microseconds(121_180)) - 1.0283801) < 1e-6)
    #expect(abs(spring.velocity(at: .microseconds(121_180))) < 2e-3)
    #expect(spring.velocity(at: .zero) == 0.7)
  }

  @Test(
    "overshoot depends on the damping ratio alone",
    arguments: [(0.5, 0.163), (0.6, 0.095), (0.75, 0.0284), (0.9, 0.0015)])
  func overshoot(ratio: Double, expected: Double) {
    let spring = SpringTiming(dampingRatio: ratio, duration: .seconds(1))
    let peak = (0...2000).map { spring.value(at: .microseconds($0 * 500)) }.max() ?? 0
    #expect(abs(peak - 1 - expected) < 6e-4)
  }

  @Test("springs of any damping: closed form obeys its equation, energy never grows, and it settles")
  func energy() {
    for ratio in [0.1, 0.3, 0.75, 0.999, 1, 1.000001, 1.5, 2, 3] {
      for velocity in [-5.0, 0, 0.7, 20] {
        let spring = SpringTiming(
          dampingRatio: ratio, duration: .milliseconds(500), initialVelocity: velocity)
        var energy = Double.infinity
        for step in 0..<400 {
          let time = Duration.microseconds(step * 2500)
          let (left, speed) = (1 - spring.value(at: time), spring.velocity(at: time))
          let now = spring.stiffness * left * left / 2 + spring.mass * speed * speed / 2
          #expect(now <= energy * (1 + 1e-9) + 1e-12)
          energy = now
          // m x'' + c x' + k x = 0, the second derivative by differences.
          let nearby = Duration.nanoseconds(1000)
          let bend = (spring.velocity(at: time + nearby) - spring.velocity(at: time)) / 1e-6
          let force = spring.mass * bend + spring.damping * speed - spring.stiffness * left
          #expect(abs(force) < 1e-2 * (spring.stiffness * max(1, abs(velocity))))
        }
        let settled = spring.settlingDuration
        for later in 0..<50 {
          let time = settled + .milliseconds(later)
          #expect(abs(1 - spring.value(at: time)) <= 0.00101)
        }
      }
    }
  }

  @Test(
    "a spring is within a thousandth of its end after its duration",
    arguments: [0.2, 0.5, 0.75, 0.9, 1, 1.2, 2, 3])
  func duration(ratio: Double) {
    for milliseconds in [100, 250, 2000] {
      let spring = SpringTiming(dampingRatio: ratio, duration: .milliseconds(milliseconds))
      for share in [1.0, 1.1, 1.5] {
        let time = Duration.microseconds(Int(Double(milliseconds) * 1000 * share))
        #expect(abs(1 - spring.value(at: time)) < 0.00101)
      }
      #expect(abs(spring.dampingRatio - ratio) < 1e-9)
    }
    #expect(
      abs(SpringTiming(dampingRatio: 1, duration: .seconds(1)).stiffness.squareRoot() - 9.2334) < 1e-4)
  }

  @Test("a spring that swings through its end is not settled there")
  func settlesByBoth() {
    let spring = SpringTiming(dampingRatio: 0.3, duration: .seconds(1))
    let crossing = (1..<1000).first { spring.value(at: .milliseconds($0)) >= 1 } ?? 0
    #expect(abs(1 - spring.value(at: .milliseconds(crossing))) < 0.02)
    #expect(spring.settlingDuration > .milliseconds(crossing * 3))
  }

  @Test("at rest on a grid: less than 0.05 cells to go and slower than 0.5 cells a second, for good")
  func restOnGrid() {
    let spring = SpringTiming(dampingRatio: 0.4, duration: .seconds(1))
    let short = spring.settlingDuration(overCells: 4)
    let long = spring.settlingDuration(overCells: 200)
    #expect(short < long && long < .seconds(2))
    for (cells, settled) in [(4.0, short), (200, long)] {
      for later in 0..<400 {
        let time = settled + .milliseconds(later)
        #expect(abs(1 - spring.value(at: time)) * cells <= 0.0501)
        #expect(abs(spring.velocity(at: time)) * cells <= 0.501)
      }
      let before = settled - .milliseconds(2)
      #expect(
        abs(1 - spring.value(at: before)) * cells > 0.05 || abs(spring.velocity(at: before)) * cells > 0.5)
    }
    #expect(spring.settlingDuration(overCells: 0) == .zero)
  }

  @Test("senseless parameters still make an animation that ends")
  func senseless() {
    for value in [0, -1, 1e-300, 1e300, .nan, .infinity, -.infinity] {
      for spring in [
        SpringTiming(mass: value, stiffness: 10, damping: 1), SpringTiming(stiffness: value, damping: 1),
        SpringTiming(stiffness: 100, damping: value, initialVelocity: value),
        SpringTiming(dampingRatio: value, duration: .milliseconds(10), initialVelocity: value),
      ] {
        #expect(spring.value(at: .milliseconds(5)).isFinite && spring.velocity(at: .seconds(5)).isFinite)
        #expect(spring.settlingDuration >= .zero)
      }
    }
  }

  @Test("SwiftUI's spelling")
  func response() {
    let spring = SpringTiming(response: .milliseconds(500), dampingRatio: 1)
    #expect(abs(spring.stiffness - (4 * Double.pi) * (4 * Double.pi)) < 1e-9)
  }

  @Test("times saturate instead of trapping")
  func saturation() {
    #expect(MotionTime(nanoseconds: .max) + .seconds(1) == MotionTime(nanoseconds: .max))
    #expect(MotionTime(nanoseconds: .min) + .seconds(-1) == MotionTime(nanoseconds: .min))
    #expect(MotionTime.zero + .seconds(Int64.max) == MotionTime(nanoseconds: .max))
    #expect(MotionTime.seconds(3) - .seconds(1) == .seconds(2))
  }

  @Test("frames of the stepped clock do not drift")
  func steppedClock() {
    var clock = SteppedClock(frameRate: 60)
    for _ in 0..<600 { clock.tick() }
    #expect(clock.now == .seconds(10))
    clock.advance(by: .milliseconds(5))
    #expect(clock.now == .milliseconds(10_005))
    clock.tick()
    #expect(clock.now == MotionTime(nanoseconds: 601 * 1_000_000_000 / 60))
  }
}
