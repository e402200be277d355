import ConstraintAnimation
import ConstraintAnimationTestKit
import Testing

/// What a programmer gets wrong is said, with a name, and breaks nothing.
@Suite struct MisuseTests {
  @Test("animating after sleep without telling the time is reported with how late it is")
  func staleTime() {
    let window = Window(size: Size(width: 40, height: 5))
    window.advance(to: .zero)
    window.advance(to: .zero)
    #expect(window.nextDeadline == nil)
    // Ten seconds pass; nobody says so.
    window.animate(withDuration: .milliseconds(250)) { window.root.alpha = 0.5 }
    window.advance(to: .seconds(10))
    #expect(window.diagnostics == [.timeNotAdvanced(.seconds(10))])
    #expect(window.diagnostics.first?.description.contains("advance(to:)") == true)
  }

  @Test("an animator started after sleep is reported too")
  func staleAnimator() {
    let window = Window(size: Size(width: 40, height: 5))
    window.advance(to: .zero)
    window.advance(to: .zero)
    #expect(window.nextDeadline == nil)
    PropertyAnimator(window: window, duration: .seconds(1), curve: .linear) { window.root.alpha = 0.5 }
      .startAnimation()
    window.advance(to: .seconds(3))
    #expect(window.diagnostics == [.timeNotAdvanced(.seconds(3))])
  }

  @Test("a program that tells the time, by advancing or by an event, is not")
  func toldTime() {
    let window = Window(size: Size(width: 40, height: 5))
    window.advance(to: .zero)
    for round in 1...10 {
      _ = window.nextDeadline
      if round % 2 == 0 {
        window.advance(to: .seconds(Int64(10 * round)))
      } else {
        window.send(InputEvent(kind: .mouseMove), at: .seconds(Int64(10 * round)))
      }
      window.animate(withDuration: .milliseconds(250)) { window.root.alpha = round % 2 == 0 ? 1 : 0.5 }
      while let deadline = window.nextDeadline { window.advance(to: deadline) }
    }
    // A test that steps by frames after a rest does nothing wrong either.
    window.animate(withDuration: .milliseconds(250)) { window.root.alpha = 0 }
    for _ in 0..<20 { window.advance(to: window.time + .milliseconds(16)) }
    #expect(window.diagnostics.isEmpty)
  }

  @Test("activating a constraint between unrelated views: the window of either hears")
  func unrelatedViews() {
    let window = Window(size: Size(width: 40, height: 5))
    let inside = View(identifier: "inside")
    let outside = View(identifier: "outside")
    window.root.addSubview(inside)
    for (one, two) in [(inside, outside), (outside, inside)] {
      let constraint = one.leadingAnchor.constraint(equalTo: two.leadingAnchor)
      constraint.isActive = true
      #expect(!constraint.isActive)
      #expect(window.diagnostics.last == .layout(.noCommonAncestor(constraint.description)))
    }
    #expect(window.diagnostics.count == 2)
  }

  @Test("outside any window it is kept for the window the view comes into")
  func keptUntilHeard() {
    let view = View(identifier: "view")
    let other = View(identifier: "other")
    let unrelated = view.leadingAnchor.constraint(equalTo: other.leadingAnchor)
    unrelated.isActive = true
    let width = view.widthAnchor.constraint(equalToConstant: 4)
    width.constant = .nan
    view.alpha = .infinity
    let holder = View()
    holder.addSubview(view)
    let window = Window(size: Size(width: 40, height: 5))
    window.root.addSubview(holder)
    #expect(
      window.diagnostics == [
        .layout(.noCommonAncestor(unrelated.description)), .notFinite(width.description),
        .notFinite("view.alpha"),
      ])
    // Once.
    holder.removeFromSuperview()
    window.root.addSubview(holder)
    #expect(window.diagnostics.count == 3)
  }

  @Test("setting the frame of a constrained view outside a window: ignored and reported, no abort")
  func frameOutsideWindow() throws {
    let holder = View(identifier: "holder")
    let view = View(identifier: "view")
    holder.addSubview(view)
    try LayoutConstraint.activate(view.pinned(to: holder))
    view.frame = Rect(x: 1, y: 1, width: 1, height: 1)
    view.center = Point(x: 3, y: 3)
    let window = Window(size: Size(width: 40, height: 5))
    holder.frame = Rect(x: 0, y: 0, width: 20, height: 4)
    window.root.addSubview(holder)
    window.layoutNow()
    #expect(view.windowFrame == Rect(x: 0, y: 0, width: 20, height: 4))
    #expect(window.diagnostics == [.frameOfConstrainedView("view"), .frameOfConstrainedView("view")])
  }

  @Test("constants that are no numbers: changed or born so, before or after activation")
  func notANumber() throws {
    let window = Window(size: Size(width: 40, height: 5))
    let view = View(identifier: "view")
    window.root.addSubview(view)
    let born = view.widthAnchor.constraint(equalToConstant: .nan)
    born.isActive = true
    #expect(!born.isActive)
    guard case .layout(.notFinite) = window.diagnostics.last else {
      Issue.record("\(window.diagnostics)")
      return
    }
    let width = view.widthAnchor.constraint(equalToConstant: 7)
    width.constant = .infinity
    #expect(width.constant == 7 && window.diagnostics.last == .notFinite(width.description))
    width.isActive = true
    width.constant = .nan
    window.layoutNow()
    #expect(view.windowFrame.width == 7 && window.diagnostics.count == 3)
  }

  @Test("a content size that is no number has no opinion and is reported")
  func intrinsicSize() {
    final class Broken: View {
      override var intrinsicContentSize: Size? { Size(width: .nan, height: 2) }
    }
    let window = Window(size: Size(width: 40, height: 5))
    let view = Broken(identifier: "broken")
    window.root.addSubview(view)
    window.layoutNow()
    #expect(view.windowFrame.height == 2)
    #expect(window.diagnostics == [.notFinite("broken.intrinsicContentSize")])
  }

  @Test("negative widths are reported once, by name, until they are mended")
  func negativeWidth() throws {
    let window = Window(size: Size(width: 40, height: 5))
    let view = View(identifier: "view")
    window.root.addSubview(view)
    let pins = view.pinned(to: window.root)
    try LayoutConstraint.activate(pins)
    window.layoutNow()
    pins[0].constant = 50
    window.layoutNow()
    #expect(window.diagnostics == [.negativeSize("view")])
    #expect(view.cellFrame.width == 0)
    pins[0].constant = 60
    window.layoutNow()
    #expect(window.diagnostics.count == 1)
    pins[0].constant = 0
    window.layoutNow()
    pins[2].constant = 9
    window.layoutNow()
    #expect(window.diagnostics == [.negativeSize("view"), .negativeSize("view")])
    // A terminal made small need not have room.
    pins[2].constant = 4
    pins[3].constant = -3
    window.resize(to: Size(width: 40, height: 3))
    #expect(window.diagnostics.count == 2)
    window.resize(to: Size(width: 40, height: 8))
    #expect(window.diagnostics.count == 2 && view.windowFrame.height == 1)
    let byHand = View(identifier: "by hand")
    window.root.addSubview(byHand)
    byHand.frame = Rect(x: 5, y: 0, width: -3, height: 1)
    #expect(window.diagnostics.last == .negativeSize("by hand"))
  }

  @Test("a spring that overshoots through nothing is not a mistake, solved once or on each frame")
  func overshootIsNoMistake() throws {
    for options: AnimationOptions in [[], .resolveEachFrame] {
      let window = Window(size: Size(width: 40, height: 5))
      let view = View(identifier: "view")
      window.root.addSubview(view)
      let width = view.widthAnchor.constraint(equalToConstant: 30)
      try LayoutConstraint.activate([
        width, view.leadingAnchor.constraint(equalTo: window.root.leadingAnchor),
      ])
      window.advance(to: .zero)
      window.animate(
        withDuration: .seconds(1), usingSpringWithDamping: 0.3, initialSpringVelocity: 0, options: options
      ) {
        width.constant = 0
        window.layoutNow()
      }
      for frame in 0...70 { window.advance(to: .frame(Int64(frame))) }
      #expect(view.windowFrame.width == 0 && window.diagnostics.isEmpty)
    }
  }

  @Test("a window's root added to another window, to its own, or a view to what it contains: refused")
  func misplaced() {
    let one = Window(size: Size(width: 40, height: 5))
    let two = Window(size: Size(width: 20, height: 5))
    one.root.identifier = "root of one"
    two.root.addSubview(one.root)
    #expect(two.diagnostics == [.misplacedView("root of one")])
    #expect(one.root.window === one && one.root.superview == nil && two.root.subviews.isEmpty)
    one.layoutNow()
    #expect(one.root.windowFrame.width == 40 && two.root.windowFrame.width == 20)
    let view = View(identifier: "view")
    let child = View()
    one.root.addSubview(view)
    view.addSubview(child)
    child.addSubview(view)
    child.addSubview(one.root)
    view.addSubview(view)
    #expect(
      one.diagnostics == [.misplacedView("view"), .misplacedView("root of one"), .misplacedView("view")])
    #expect(view.superview === one.root && child.superview === view)
  }

  @Test("insertSubview(at:) of a group: the child comes to stand at that place")
  func insertIntoGroup() {
    let window = Window(size: Size(width: 40, height: 5))
    let group = StackGroup(axis: .horizontal, margin: 0)
    group.frame = Rect(x: 0, y: 0, width: 40, height: 5)
    window.root.addSubview(group)
    let views = (0..<4).map { View(identifier: "\($0)") }
    group.addSubview(views[1])
    group.addSubview(views[3])
    group.insertSubview(views[0], at: 0)
    group.insertSubview(views[2], at: 2)
    window.layoutNow()
    #expect(group.children.map(\.identifier) == ["0", "1", "2", "3"])
    #expect(views.map(\.cellFrame.x0) == [0, 10, 20, 30])
    // What lies in front is another matter.
    group.bringSubviewToFront(views[0])
    group.addSubview(View(identifier: "4"))
    #expect(group.children.map(\.identifier) == ["0", "1", "2", "3", "4"])
  }

  @Test("a window's size that is no number")
  func windowSize() {
    let window = Window(size: Size(width: .nan, height: -3))
    #expect(window.size == .zero && window.diagnostics.count == 1)
    window.advance(to: .zero)
  }
}
