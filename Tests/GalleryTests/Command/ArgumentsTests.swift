import ConstraintAnimation
import Testing

@testable import gallery

@Suite struct ArgumentsTests {
  @Test func readsOptions() throws {
    #expect(try Arguments([]).action == .run)
    #expect(try Arguments(["--list"]).action == .list)
    #expect(try Arguments(["--help"]).action == .help)
    let script = try Arguments(["--screen", "pages", "--script", "key 2", "--size", "100x30"])
    #expect(try Arguments(["--motion", "basic"]).motion == .basic)
    #expect(script.action == .script("key 2"))
    #expect(script.screen == Catalog.index(of: "pages"))
    #expect(script.size == GridSize("100x30"))
  }

  @Test(
    "mistakes are told in words",
    arguments: [
      (["--screen"], "--screen needs a value"),
      (["--screen", "x"], "there is no screen “x”; --list shows them all"),
      (["--size", "80"], "“80” is no size: write it as 80x24, 1 to 1000 each"),
      (["--size", "80x24"], "--size is for --script; a terminal has its own size"),
      (["--motion", "wild"], "“wild” is no level of motion: full, basic or none"),
      (["--frob"], "“--frob” is no option; --help shows them all"),
    ])
  func mistakes(words: [String], message: String) {
    #expect(throws: UsageError(message)) { try Arguments(words) }
  }

  @Test func aScriptComesFromAFileOrTheArgument() throws {
    #expect(try ScriptSource.text("key 2; print") == "key 2; print")
    #expect(try ScriptSource.text(#filePath).hasPrefix("import ConstraintAnimation"))
    #expect(throws: UsageError.self) { try ScriptSource.text("/") }
  }
}
