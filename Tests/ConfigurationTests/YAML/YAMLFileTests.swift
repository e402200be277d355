import Measurement
import TestKit
import Testing

@testable import Configuration

@Suite struct YAMLFileTests {
  private enum Color: String, CaseIterable { case red, green }

  /// What a value of the key `k` reads as, or the message that refuses it.
  private func read<Result>(
    _ text: String, environment: [String: String] = [:], _ reader: @escaping (YAMLValue) -> Result?
  ) -> (value: Result?, message: String?) {
    do throws(ConfigurationError) {
      let value = try YAMLFile.parse("k: " + text, file: "t", environment: environment) {
        $0.mapping(keys: ["k"])?["k"].flatMap(reader)
      }
      return (value, nil)
    } catch {
      return (nil, error.problems.first?.message)
    }
  }

  @Test func readsTypedValues() {
    #expect(read("text") { $0.string() }.value == "text")
    #expect(read("'true'") { $0.string() }.value == "true")
    #expect(read("7") { $0.string() }.value == "7")
    #expect(read("-7") { $0.integer(in: -10...10) }.value == -7)
    #expect(read("0.25") { $0.number(in: 0...1) }.value == 0.25)
    #expect(read("-2") { $0.number(in: -3...1) }.value == -2)
    #expect(read("0.01") { $0.fraction() }.value == 0.01)
    #expect(read("2.5%") { $0.fraction() }.value == 0.025)
    #expect(read("true") { $0.boolean() }.value == true)
    #expect(read("1.5s") { $0.duration(in: .zero ... .seconds(2)) }.value == .milliseconds(1500))
    #expect(read("30/min") { $0.parsed(RateText.parse) }.value == ArrivalRate(30, per: .seconds(60)))
    #expect(read("green") { $0.choice(of: Color.self) }.value == .green)
    #expect(read("[a, b]") { $0.sequence()?.compactMap { $0.string() } }.value == ["a", "b"])
    #expect(read("{b: 1, a: 2}") { $0.entries()?.map(\.key) }.value == ["b", "a"])
    #expect(read("[a]") { $0.isSequence && !$0.isMapping ? true : nil }.value == true)
  }

  @Test func refusesWhatIsNone() {
    #expect(read("yes") { $0.boolean() }.message == "\"yes\" is neither true nor false")
    #expect(read("0x1p3") { $0.number(in: 0...9) }.message == "\"0x1p3\" is not a number")
    #expect(read("nan") { $0.number(in: 0...9) }.message == "\"nan\" is not a number")
    #expect(read("1.2.3") { $0.number(in: 0...9) }.message == "\"1.2.3\" is not a number")
    #expect(read("101%") { $0.fraction() }.message == "\"101%\" is not a share")
    #expect(read("1.5") { $0.fraction() }.message == "\"1.5\" is not a share")
    #expect(read("''") { $0.string() }.message == "is empty")
    #expect(read("''") { $0.integer(in: 0...1) }.message == "\"\" is not a whole number")
    #expect(read("aaaa") { $0.string(maximumBytes: 3) }.message == "is longer than 3 bytes")
    #expect(read("99999999999999999999") { $0.integer(in: 0...1) }.message?.contains("whole number") == true)
    #expect(read("{a: 1}") { $0.sequence() }.message == "is a set of keys where a list is required")
    #expect(read("1") { $0.entries() }.message == "is a single value where names and values are required")
  }

  @Test func takesTextsFromTheEnvironment() {
    let environment = ["A": "x", "B_2": "y", "E": ""]
    #expect(read("p-${A}-${B_2}.", environment: environment) { $0.string() }.value == "p-x-y.")
    #expect(read("$${A} $5 $", environment: environment) { $0.string() }.value == "${A} $5 $")
    #expect(read("'${E}'", environment: environment) { $0.string() }.message == "is empty")
    #expect(read("${C}", environment: environment) { $0.string() }.message?.contains("C is not set") == true)
    #expect(read("'${A'", environment: environment) { $0.string() }.message == "has a broken ${ reference")
    #expect(read("'${A-B}'", environment: environment) { $0.string() }.message == "has a broken ${ reference")
  }

  @Test func anAnchorStandsForItsValue() {
    let values = read("[&a 1s, *a]") { $0.sequence()?.compactMap { $0.duration(in: .zero ... .seconds(1)) } }
    #expect(values.value == [.seconds(1), .seconds(1)])
  }

  @Test func aResultOfNothingIsAnErrorToo() {
    #expect(throws: ConfigurationError.self) {
      try YAMLFile.parse("a: 1", file: "t") { _ in Int?.none }
    }
  }

  @Test func relativePathsStartAtTheFile() throws {
    let directory = try populatedDirectory()
    let file = try directory.write("sub/x.yaml", "k: ../body.json")
    let path = try YAMLFile.load(path: file, environment: [:]) { $0.mapping(keys: ["k"])?["k"]?.file() }
    #expect(path == directory.path + "/sub/../body.json")
  }

  @Test(
    arguments: [
      String(repeating: "[", count: 100_000), String(repeating: "{a: ", count: 100_000),
      String(repeating: "- ", count: 100_000), String(repeating: "? ", count: 100_000),
      String(repeating: "[", count: 20_000) + String(repeating: "]", count: 20_000),
      (0..<1_400).map { String(repeating: " ", count: $0) + "a:" }.joined(separator: "\n"),
    ])
  func deeplyNestedTextIsRefusedNotFallenOver(_ text: String) {
    #expect(throws: ConfigurationError.self) {
      try YAMLFile.parse(text, file: "t") { _ in Int?.none }
    }
  }

  /// Bytes at random, and the example with bytes knocked out: an error or a result, never a crash.
  @Test func survivesAnyText() {
    var generator = SystemRandomNumberGenerator()
    let example = Array(
      "targets: [{ name: a, provider: http, endpoint: 'https://h', headers: {x: \"${A}\"} }]\n&a *a ! | > %"
        .utf8)
    for round in 0..<2000 {
      var bytes = example
      for _ in 0...(round % 8) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      let text = String(decoding: bytes, as: UTF8.self)
      _ = try? YAMLFile.parse(text, file: "t") { value -> Int? in
        for target in value.mapping(keys: ["targets"])?["targets"]?.sequence() ?? [] {
          _ = target.mapping(keys: ["name", "provider"])?["name"]?.string()
        }
        return 1
      }
    }
  }
}
