import Measurement
import Testing

/// Everything that reads from outside, and everything that shows what came from there, fed with damaged input from fixed
/// seeds. The tables are ``OutsideParser/all`` and ``TextSink/all``; what a parser's or a sink's own tests know better is
/// tested there, and damaged HTTP against the running receipt listener in ReceiptListenerFuzzTests.
@Suite struct FuzzTests {
  private static func harmful(_ text: String, but own: Set<Unicode.Scalar> = []) -> String? {
    text.unicodeScalars.first { HarmlessText.isHarmful($0) && !own.contains($0) }.map {
      "U+" + String($0.value, radix: 16)
    }
  }

  @Test(arguments: OutsideParser.all, [1, 2, 3] as [UInt64])
  func readsOrRefusesInHarmlessWords(_ parser: OutsideParser, seed: UInt64) {
    var damage = Damage(seed: seed)
    for good in parser.good {
      for _ in 0..<parser.rounds {
        let outcome = parser.read(damage.damage(Array(good.utf8)))
        for word in outcome.words {
          #expect(word.unicodeScalars.count < 2000)
          #expect(Self.harmful(word) == nil, "\(word.debugDescription)")
        }
        for value in outcome.values { #expect(value.utf8.count <= outcome.longest) }
      }
    }
  }

  @Test(arguments: OutsideParser.all) func takesWhatIsRight(_ parser: OutsideParser) {
    #expect(!parser.good.isEmpty)
    for good in parser.good {
      let outcome = parser.read(Array(good.utf8))
      #expect(outcome.words.isEmpty == parser.isTaken, "\(outcome.words)")
    }
  }

  @Test(arguments: TextSink.all, [1, 2, 3, 4] as [UInt64])
  func showsNothingThatActs(_ sink: TextSink, seed: UInt64) throws {
    var damage = Damage(seed: seed)
    for _ in 0..<30 {
      let texts = (0..<20).map { _ in damage.text() }
      let shown = try sink.show(texts)
      #expect(Self.harmful(shown, but: sink.own) == nil, "\(sink.name)")
    }
  }
}
