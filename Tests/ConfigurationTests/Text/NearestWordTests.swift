import Testing

@testable import Configuration

@Suite struct NearestWordTests {
  @Test(arguments: [
    ("", "", 0), ("a", "", 1), ("", "ab", 2), ("rate", "rate", 0), ("rat", "rate", 1), ("raet", "rate", 1),
    ("kitten", "sitting", 3), ("ca", "abc", 3),
  ]) func countsEdits(_ a: String, _ b: String, _ expected: Int) {
    #expect(NearestWord.edits(from: Array(a.unicodeScalars), to: Array(b.unicodeScalars)) == expected)
  }

  @Test func suggestsOnlyWhatIsNear() {
    let words = ["arrivals", "rate", "every"]
    #expect(NearestWord.suggestion(for: "Rates", among: words) == "rate")
    #expect(NearestWord.suggestion(for: "evry", among: words) == "every")
    #expect(NearestWord.suggestion(for: "interval", among: words) == nil)
    #expect(NearestWord.suggestion(for: "x", among: words) == nil)
  }
}
