import ConstraintAnimationTestKit
import Testing

@testable import ConstraintAnimation

@Suite struct VelocityTests {
  /// Columns a second as the tracker reads a steady motion of one column every `interval` milliseconds.
  private func reading(every interval: Int64, events: Int64, startingAt start: Int64 = 0) -> Double {
    var tracker = VelocityTracker()
    for index in 0..<events {
      tracker.add(Point(x: Double(index), y: 0), at: .milliseconds(start + index * interval))
    }
    return tracker.velocity(at: .milliseconds(start + (events - 1) * interval)).dx
  }

  @Test("a steady 50 columns a second reads as 50 and is not fast, wherever samples lie")
  func windowEdge() {
    // 20 ms divide the window of 100 ms: one sample lies exactly on its opening.
    for events: Int64 in 6...40 {
      #expect(reading(every: 20, events: events) == 50)
      #expect(!DragSnap().isFast(reading(every: 20, events: events, startingAt: events * 7)))
    }
    #expect(reading(every: 10, events: 30) == 100)
    #expect(reading(every: 25, events: 30) == 40)
    #expect(reading(every: 50, events: 30) == 20)
    #expect(reading(every: 100, events: 30) == 10)
  }

  @Test("several samples of one time on the edge: the last of them is where the pointer was")
  func batchOnTheEdge() {
    var tracker = VelocityTracker()
    for column in 0...3 { tracker.add(Point(x: Double(column), y: 0), at: .zero) }
    tracker.add(Point(x: 5, y: 0), at: .milliseconds(60))
    tracker.add(Point(x: 8, y: 0), at: .milliseconds(100))
    #expect(tracker.velocity(at: .milliseconds(100)).dx == 50)
  }

  @Test("only the last 100 ms count, not the way since the press")
  func windowIsRecent() {
    var tracker = VelocityTracker()
    // A second at 10 columns a second, then 100 ms at 100.
    for index in 0...10 { tracker.add(Point(x: Double(index), y: 0), at: .milliseconds(Int64(index) * 100)) }
    for index in 1...10 {
      tracker.add(Point(x: Double(10 + index), y: 0), at: .milliseconds(1000 + Int64(index) * 10))
    }
    #expect(tracker.velocity(at: .milliseconds(1100)).dx == 100)
    // And the other way round: fast, then slow.
    tracker.removeAll()
    for index in 0...50 { tracker.add(Point(x: Double(index), y: 0), at: .milliseconds(Int64(index) * 10)) }
    for index in 1...5 {
      tracker.add(Point(x: Double(50 + index), y: 0), at: .milliseconds(500 + Int64(index) * 40))
    }
    #expect(tracker.velocity(at: .milliseconds(700)).dx <= 30)
  }

  @Test("through recorded events: exactly 50 columns a second snaps back, a little more flicks")
  func throughEvents() throws {
    for (interval, flicks) in [(Int64(20), false), (19, true)] {
      let window = Window(size: Size(width: 200, height: 10))
      let host = View()
      let container = View()
      window.root.addSubview(host)
      host.addSubview(container)
      try LayoutConstraint.activate(host.pinned(to: window.root) + container.pinned(to: host))
      window.layoutNow()
      let pager = try PagerController(container: container)
      host.addGestureRecognizer(pager.makePanGestureRecognizer())
      window.layoutNow()
      func send(_ kind: InputEvent.Kind, _ x: Double, _ time: Int64) {
        window.send(InputEvent(kind: kind, location: Point(x: x, y: 5)), at: .milliseconds(time))
      }
      send(.mouseDown, 100, 0)
      for step in 1...20 { send(.mouseDrag, 100 - Double(step), Int64(step) * interval) }
      send(.mouseUp, 80, 20 * interval)
      window.advance(to: .milliseconds(5000))
      #expect(pager.page == (flicks ? 1 : 0), "one column every \(interval) ms")
    }
  }
}
