import ConstraintAnimation
import ConstraintAnimationTestKit
import Testing

@testable import gallery

/// What all five texts rest on: curves, adding up, whole cells, motion levels.
@Suite struct MotionTests {
  @Test("each dot's row follows its curve while its column follows time")
  func curves() throws {
    let visit = try Visit("curves")
    let screen: Curves = try visit.screen()
    visit.key(.character(" "))
    for frame in 1...89 {
      visit.frame()
      let time = Double(frame) / 90
      for plot in screen.plots {
        let frame = plot.presentationFrame
        let column = 1 + time * (Double(plot.cellFrame.width) - 3)
        #expect(abs(plot.dot.presentationFrame.minX - frame.minX - column) <= 1)
        // A spring has its own time, and a staircase jumps between two frames.
        switch plot.curve {
        case .spring, .steps: continue
        default: break
        }
        let runner = 1 + plot.curve.value(at: time) * (Double(plot.cellFrame.width) - 3)
        #expect(abs(plot.runner.presentationFrame.minX - frame.minX - runner) <= 1.01)
      }
    }
    visit.settle()
    for plot in screen.plots { #expect(plot.runner.cellFrame.x1 == plot.cellFrame.x1 - 1) }
  }

  @Test("turned round in flight, what adds up and the spring keep their speed, what is replaced stops")
  func additive() throws {
    let visit = try Visit("additive")
    let screen: Additive = try visit.screen()
    visit.key(.character(" "))
    visit.frames(8)
    let before = screen.lanes.map(\.box.presentationVelocity.dx)
    visit.key(.character(" "))
    let after = screen.lanes.map(\.box.presentationVelocity.dx)
    #expect(before.allSatisfy { $0 > 20 })
    #expect(abs(after[0] - before[0]) < 1)
    #expect(abs(after[1]) < 1)
    #expect(abs(after[2] - before[2]) < 1)
    visit.settle()
    for lane in screen.lanes { #expect(lane.box.cellFrame.x0 == 1) }
  }

  @Test("no gap and no overlap in any frame, however many animations overlap")
  func cells() throws {
    let visit = try Visit("cells", columns: 103)
    let screen: WholeCells = try visit.screen()
    for _ in 0..<6 {
      visit.type(" s")
      visit.frames(7)
    }
    visit.settle()
    #expect(screen.frames > 80)
    #expect(screen.gaps == 0)
    #expect(screen.overlaps == 0)
    #expect(screen.shares.reduce(0) { $0 + $1.cellFrame.width } == 101)
    visit.type("r")
    let widths = screen.equals.map(\.cellFrame.width)
    #expect(Set(widths.dropLast()) == [14])
    #expect(widths.last == 17)
  }

  @Test("whole cells: alone, an edge passes through eighths of a column while text keeps to cells")
  func eighths() throws {
    let visit = try Visit("cells")
    let screen: WholeCells = try visit.screen()
    visit.type("e")
    var edges: Set<Unicode.Scalar> = []
    visit.settle {
      let row = screen.slider.cellFrame.y0
      let canvas = visit.canvas()
      for column in 9...17 { edges.insert(canvas.glyph(x: column, y: row)) }
    }
    #expect(edges.isSuperset(of: ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]))
    #expect(screen.slider.cellFrame.width == 16)
  }

  @Test("squeezed by a loose spring nothing becomes negative")
  func clamped() throws {
    let visit = try Visit("cells", columns: 34)
    let screen: WholeCells = try visit.screen()
    visit.type(" ")
    visit.settle {
      for pane in screen.panes { #expect(pane.presentationFrame.width >= 0) }
    }
    #expect(screen.overlaps == 0)
  }

  @Test("motion levels: completions come in one order; none is at its end at once", arguments: 1...3)
  func levels(level: Int) throws {
    let visit = try Visit("motion")
    let screen: MotionLevels = try visit.screen()
    visit.type("\(level) ")
    if level > 1 { #expect(screen.runners.allSatisfy { $0.cellFrame.x1 == 79 }) }
    if level == 1 { #expect(screen.runners.allSatisfy { $0.cellFrame.x0 == 1 }) }
    let frames = visit.settle()
    #expect(level == 3 ? frames <= 1 : frames >= 53)
    #expect(screen.completions == ["300 ms", "600 ms", "900 ms"])
  }

  @Test("motion levels: with basic motion colors still blend")
  func basic() throws {
    let visit = try Visit("motion")
    let screen: MotionLevels = try visit.screen()
    let start = screen.runners[0].presentationTintColor
    visit.type("2 ")
    visit.frames(27)
    let middle = screen.runners[0].presentationTintColor
    visit.settle()
    let end = screen.runners[0].presentationTintColor
    #expect(middle != start && middle != end && start != end)
  }
}
