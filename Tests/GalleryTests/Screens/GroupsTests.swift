import ConstraintAnimation
import Testing

@testable import gallery

/// "Animated Layout for Swift with Shinpuru".
@Suite struct GroupsTests {
  private func titles(_ row: StackGroup) -> [String] {
    row.children.compactMap { ($0 as? Tile)?.title }
  }

  @Test("five quick requests are carried out one after the other, as if they had come slowly")
  func queue() throws {
    let visit = try Visit("groups")
    let screen: Groups = try visit.screen()
    visit.type("aaaaa")
    #expect(screen.rows[0].pendingAnimationCount == 4)
    let frames = visit.settle()
    // 167 ms to make room and 250 ms to appear, five times.
    #expect(abs(frames - 125) <= 4)
    let quick = titles(screen.rows[0])

    let slow = try Visit("groups")
    for _ in 0..<5 {
      slow.type("a")
      slow.settle()
    }
    let slowScreen: Groups = try slow.screen()
    #expect(titles(slowScreen.rows[0]) == quick)
    #expect(quick == ["add", "remove", "9", "8", "7", "6", "5", "1", "2"])
  }

  @Test("room first, then the child; at the swap nobody jumps; the other way round")
  func addAndRemove() throws {
    let visit = try Visit("groups")
    let screen: Groups = try visit.screen()
    let row = screen.rows[0]
    visit.type("a")
    let child = row.children[2]
    var widths: [Int] = []
    for _ in 0..<10 {
      #expect(child.presentationAlpha == 0)
      visit.frame()
      widths.append(child.cellFrame.width)
    }
    #expect(widths == widths.sorted())
    #expect((widths.last ?? 0) > 10)
    let places = row.children.map(\.cellFrame)
    visit.settle { #expect(row.children.map(\.cellFrame) == places) }
    #expect(child.presentationAlpha == 1)

    visit.type("d")
    visit.frames(14)
    #expect(row.children.map(\.cellFrame) == places)
    visit.settle()
    #expect(titles(row) == ["add", "remove", "1", "2"])
  }

  @Test("on each frame of a change the row is covered, with a blank column between boxes")
  func tiles() throws {
    let visit = try Visit("groups", columns: 97)
    let screen: Groups = try visit.screen()
    visit.type("aAd")
    visit.settle {
      for row in screen.rows {
        let children = row.children.filter { $0.cellFrame.width > 0 }
        for (left, right) in zip(children, children.dropFirst()) {
          // The margin beside a box that is making room opens with it.
          let isGrowing = [left, right].contains { $0.presentationAlpha == 0 }
          #expect((isGrowing ? 0...1 : 1...2).contains(right.cellFrame.x0 - left.cellFrame.x1))
        }
        #expect((0...1).contains(row.cellFrame.x1 - (children.last?.cellFrame.x1 ?? 0)))
      }
    }
  }

  @Test("a request out of range does not stop the queue")
  func outOfRange() throws {
    let visit = try Visit("groups")
    let screen: Groups = try visit.screen()
    visit.type("xaxdxa")
    visit.settle()
    #expect(!screen.rows[0].isAnimationRunning)
    #expect(titles(screen.rows[0]).count == 5)
  }

  @Test("a resize in any phase ends where a calm change would")
  func resize() throws {
    for frame in stride(from: 0, through: 60, by: 3) {
      let visit = try Visit("groups")
      visit.type("ad")
      visit.frames(frame)
      visit.gallery.resize(columns: 133, rows: 30)
      visit.settle()
      let screen: Groups = try visit.screen()
      let calm = try Visit("groups", columns: 133, rows: 30)
      let calmScreen: Groups = try calm.screen()
      #expect(
        screen.rows[0].children.map(\.cellFrame) == calmScreen.rows[0].children.map(\.cellFrame))
    }
  }

  @Test("spacers line boxes up in five ways, and the live row goes from one to the other")
  func distribution() throws {
    let visit = try Visit("distribution")
    let screen: Distribution = try visit.screen()
    let live = try #require(screen.rows.last)
    func boxes(_ row: StackGroup) -> [Int] {
      row.children.compactMap { $0 is Spacer ? nil : $0.cellFrame.x0 - row.cellFrame.x0 }
    }
    for order in Distribution.Order.allCases.reversed() {
      let before = boxes(live)
      visit.type("\(order.rawValue + 1)")
      visit.frames(12)
      let target = boxes(screen.rows[order.rawValue])
      #expect(boxes(live) != target && boxes(live) != before)
      visit.settle()
      #expect(boxes(live) == target)
      #expect(screen.order == order)
    }
    #expect(boxes(screen.rows[0]) == [0, 12, 24])
    #expect(boxes(screen.rows[2]) == [29, 41, 53])
    #expect(boxes(screen.rows[4]) == [0, 27, 53])
  }
}
