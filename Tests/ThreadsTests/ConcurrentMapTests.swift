import Testing
import Threads

@Suite struct ConcurrentMapTests {
  @Test(arguments: [0, 1, 2, 1_000]) func resultsHaveTheOrderOfTheElements(_ count: Int) {
    let results = Array(0..<count).concurrentMap { "number \($0)" }
    #expect(results == (0..<count).map { "number \($0)" })
  }
}
