import Testing

@testable import Collector

@Suite struct FIFOTests {
  /// Against a plain array, through every kind of change, with lengths on both sides of where storage is given back.
  @Test func behavesAsAnArrayDoes() {
    var queue = FIFO<Int>()
    var model: [Int] = []
    var next = 0
    for round in 0..<40 {
      for _ in 0..<(round * 37 % 997) {
        queue.append(next)
        model.append(next)
        next += 1
      }
      for _ in 0..<(round * 53 % 1009) {
        #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
      }
      queue.prepend(-round)
      model.insert(-round, at: 0)
      #expect(queue.count == model.count)
      #expect(queue.first == model.first)
      #expect(queue.last == model.last)
      #expect(queue[queue.count / 2] == model[model.count / 2])
    }
    queue.append(contentsOf: [1, 2])
    queue.removeAll()
    #expect(queue.isEmpty && queue.popFirst() == nil && queue.last == nil)
  }
}
