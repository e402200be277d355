import Measurement
import TestKit
import Testing

@testable import Transport

struct StreamTableTests {
  @Test func whatIsNotThereIsNil() {
    var table = StreamTable<Int>()
    #expect(table[1] == nil && table.oldest == nil && table.isEmpty)
    table.insert(7, at: 5)
    for stream: Int32 in [-1, 0, 1, 3, 4, 6, 7, .max] { #expect(table[stream] == nil, "\(stream)") }
    #expect(table.remove(3) == nil && table.count == 1)
    #expect(table.remove(5) == 7 && table.isEmpty && table.oldest == nil)
  }

  /// The last stream that there can be does not overflow.
  @Test func theLastStreamHasAPlace() {
    var table = StreamTable<Int>()
    table.insert(1, at: .max)
    #expect(table[.max] == 1 && table.remove(.max) == 1)
    table.insert(2, at: .max - 2)
    table.insert(3, at: .max)
    #expect(table.values.map(\.value) == [2, 3])
    #expect(table.remove(.max) == 3 && table.remove(.max - 2) == 2 && table.isEmpty)
  }

  /// Beside a dictionary, which is what it replaces.
  @Test func holdsWhatADictionaryHolds() {
    var generator = SeededGenerator(seed: 15)
    var table = StreamTable<UInt64>()
    var dictionary: [Int32: UInt64] = [:]
    var next: Int32 = 1
    for _ in 0..<5000 {
      if generator.next() % 2 == 0 {
        // Some numbers are never used.
        next += generator.next() % 10 == 0 ? 4 : 2
        let value = generator.next()
        table.insert(value, at: next)
        dictionary[next] = value
      } else {
        let stream = Int32(generator.next() % UInt64(next + 3))
        #expect(table.remove(stream) == dictionary.removeValue(forKey: stream))
      }
      #expect(table.count == dictionary.count)
      #expect(table.oldest?.stream == dictionary.keys.min())
    }
    let sorted = dictionary.sorted { $0.key < $1.key }
    #expect(
      table.values.map(\.stream) == sorted.map(\.key) && table.values.map(\.value) == sorted.map(\.value))
    for (stream, value) in sorted { #expect(table[stream] == value) }
  }
}
