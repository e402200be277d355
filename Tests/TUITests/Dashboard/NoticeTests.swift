import ConstraintAnimation
import Store
import Terminal
import Testing

@testable import TUI

@Suite("Screens for what cannot be shown")
struct NoticeTests {
  static let conditions: [(name: String, condition: StoreCondition, words: [String])] = [
    ("missing", .missing, ["No store yet", "pushscope collect --store"]),
    ("empty", .empty, ["Nothing recorded yet", "holds no run"]),
    ("directory", .notAStore("it is a directory"), ["Not a pushscope store", "it is a directory"]),
    ("corrupt", .corrupt("the file is damaged"), ["damaged", "sqlite3"]),
    ("newer", .newer("it has schema 9, this one knows 1"), ["newer", "schema 9"]),
    ("locked", .locked, ["locked", "fuser"]),
    ("unreadable", .unreadable("the disk failed"), ["cannot be read", "the disk failed", "store check"]),
    (
      "denied",
      StoreCondition(
        StoreError(.permissionDenied, path: "a.sqlite", detail: "it is ops's", remedy: "run as its owner")),
      ["cannot be read", "it is ops's", "Run as its owner."]
    ),
    ("no-run", .noSuchRun("0197"), ["No such run", "runs list"]),
    ("no-target", .noSuchTarget("ios", available: ["a", "b"]), ["No such target", "It has a and b."]),
  ]

  @Test("each says what is wrong, where, and what to do")
  func conditions() throws {
    var all = ""
    for (name, condition, words) in Self.conditions {
      var snapshot = Snapshot()
      snapshot.number = 1
      snapshot.condition = condition
      let stage = try Stage(columns: 80, rows: 16, snapshot: snapshot)
      for word in words { #expect(stage.text.contains(word), "\(name): \(word)") }
      all +=
        "\(name)\n"
        + stage.rows.map { String($0.reversed().drop { $0 == " " }.reversed()) }
        .filter { !$0.isEmpty }.joined(separator: "\n") + "\n\n"
    }
    try Golden.expect(all, named: "notices")
  }

  @Test("a notice gives way to the dashboard and comes back, and q works all the time")
  func comesAndGoes() throws {
    var missing = Snapshot()
    missing.number = 1
    missing.condition = .missing
    var stage = try Stage(snapshot: missing)
    #expect(stage.text.contains("No store yet") && !stage.text.contains("Histogram"))
    stage.press("2")
    stage.press(.left)
    stage.press(" ")
    var ready = SampleRun().snapshot
    ready.number = 2
    stage.show(ready)
    #expect(!stage.text.contains("No store yet") && stage.text.contains("[1 Histogram]"))
    #expect(stage.screen.state == ViewState())
    missing.number = 3
    missing.condition = .locked
    stage.show(missing)
    #expect(stage.text.contains("The store is locked"))
    stage.press("q")
    #expect(stage.effects == [.quit])
  }

  @Test("nothing is said before the first look at the store")
  func opening() throws {
    var stage = try Stage(snapshot: nil)
    #expect(!stage.text.contains("store") && stage.text.contains("opening…"))
    // Neither counts nor an axis of 1970.
    for words in ["planned", "00:", "n 0", "┬───"] { #expect(!stage.text.contains(words), "\(words)") }
    stage.show(SampleRun().snapshot)
    stage.frame()
    #expect(!stage.text.contains("opening…") && stage.rows[1].contains("planned"))
  }

  @Test("long paths and words are broken, never cut away")
  func wrapping() {
    let path = "/" + (0..<30).map { "directory\($0)" }.joined(separator: "/")
    let lines = FittedText.wrapped("There is no file \(path) here.", columns: 40)
    #expect(lines.allSatisfy { $0.count <= 40 })
    #expect(lines.joined().filter { $0 != " " } == "Thereisnofile\(path)here.")
    #expect(FittedText.wrapped("lost 1 % → 25 % of it", columns: 14) == ["lost 1 % →", "25 % of it"])
    #expect(FittedText.wrapped("", columns: 10) == [""])
    #expect(FittedText.wrapped("宽宽宽宽", columns: 4) == ["宽宽", "宽宽"])
  }
}
