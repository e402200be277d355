import Measurement
import Testing

@Suite struct SeededGeneratorTests {
  /// The first outputs of the published reference implementation for seed 1234567.
  @Test func matchesTheReference() {
    var generator = SeededGenerator(seed: 1_234_567)
    #expect(generator.next() == 6_457_827_717_110_365_317)
    #expect(generator.next() == 3_203_168_211_198_807_973)
    #expect(generator.next() == 9_817_491_932_198_370_423)
  }

  @Test func unitStaysBelowOne() {
    var generator = SeededGenerator(seed: 9)
    var sum = 0.0
    for _ in 0..<10_000 {
      let value = generator.unit()
      #expect(value >= 0 && value < 1)
      sum += value
    }
    #expect(abs(sum / 10_000 - 0.5) < 0.02)
  }

  @Test func streamsOfOneSeedDiffer() {
    let first = (0..<UInt64(100)).map { stream in
      var generator = SeededGenerator(seed: 3, stream: stream)
      return generator.next()
    }
    #expect(Set(first).count == 100)
    var again = SeededGenerator(seed: 3, stream: 7)
    #expect(again.next() == first[7])
  }
}
