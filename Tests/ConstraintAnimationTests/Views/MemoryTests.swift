import ConstraintAnimation
import ConstraintAnimationTestKit
import TestTraits
import Testing

#if os(Linux)
  import Glibc

  /// Bytes of memory of its own the process holds: resident less shared pages, from /proc/self/statm. Each test runs in
  /// a process of its own, so nothing else adds to them.
  private func ownBytes() -> Int {
    let file = open("/proc/self/statm", O_RDONLY)
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 128)
    let count = read(file, &text, text.count)
    let fields = String(decoding: text.prefix(max(0, count)), as: UTF8.self).split(separator: " ").compactMap
    { Int($0) }
    return fields.count > 2 ? (fields[1] - fields[2]) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
  }

  /// Runs `body` to warm up and then twice many times more; in the better half the process must not have grown by
  /// more than 32 bytes a time, which is less than any object takes. (Half, because tables grow once in a while.)
  private func expectFlat(warmUp: Int, rounds: Int, _ body: (Int) throws -> Void) rethrows {
    for round in 0..<warmUp { try body(round) }
    var growth = Int.max
    for _ in 0..<2 {
      let before = ownBytes()
      for round in 0..<rounds { try body(round) }
      growth = min(growth, ownBytes() - before)
    }
    precondition(growth < rounds * 32, "\(growth) bytes more after \(rounds) rounds")
  }

  @Suite(.ownThread) struct MemoryTests {
    @Test("sliding a thousand times leaves no memory behind")
    func slides() async {
      await #expect(processExitsWith: .success) {
        let scene = try PanelScene(columns: 120, rows: 40)
        try expectFlat(warmUp: 60, rounds: 500) { index in
          try scene.manager.slideHorizontally(activate: Panel.allCases[(index + 1) % 3])
          for _ in 0..<20 { scene.window.advance(to: scene.window.time + .milliseconds(16)) }
        }
      }
    }

    @Test("showing and hiding four thousand times leaves no memory behind")
    func flips() async {
      await #expect(processExitsWith: .success) {
        let buttons = try TwoButtons(columns: 80)
        expectFlat(warmUp: 400, rounds: 2000) { index in
          buttons.window.animate(withDuration: .milliseconds(50)) {
            buttons.showBack(index % 2 == 0)
            buttons.window.layoutNow()
          }
          buttons.window.advance(to: buttons.window.time + .milliseconds(60))
        }
      }
    }

    @Test("adding and removing views and constraints leaves no memory behind")
    func trees() async {
      await #expect(processExitsWith: .success) {
        let window = Window(size: Size(width: 80, height: 24))
        try expectFlat(warmUp: 300, rounds: 1000) { _ in
          let page = View()
          let label = View()
          page.addSubview(label)
          window.root.addSubview(page)
          try LayoutConstraint.activate(page.pinned(to: window.root) + label.pinned(to: page, inset: 1))
          window.animate(withDuration: .milliseconds(20)) { page.alpha = 0 }
          window.advance(to: window.time + .milliseconds(10))
          page.removeFromSuperview()
          window.advance(to: window.time + .milliseconds(20))
        }
      }
    }
  }
#endif
