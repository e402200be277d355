import Measurement
import Testing

@testable import Store

@Suite struct SampleStateCacheTests {
  private let target = TargetID(rawValue: 3)
  private let open = SampleStateFlags(state: .inFlight, isSent: true, isAccepted: false)
  private let settled = SampleStateFlags(state: .delivered, isSent: true, isAccepted: true)

  private func id(_ sequence: Int64) -> SampleID { SampleID(target: target, sequence: sequence) }

  @Test func remembersWhatAStandingIs() {
    for state in NotificationState.allCases {
      let standing = SampleStateFlags(state: state, isSent: true, isAccepted: false)
      #expect(standing.state == state)
      #expect(standing.isSent)
      #expect(!standing.isAccepted)
    }
    #expect(settled.isAccepted)
  }

  @Test func forgetsWhatIsSettledAtTheOldEnd() {
    var cache = SampleStateCache()
    for sequence in 1...10_000 { cache.append(open, for: id(Int64(sequence))) }
    for sequence in 1...9_000 where sequence != 8_000 { cache.update(settled, for: id(Int64(sequence))) }
    cache.trim()
    #expect(cache[id(7_999)] == nil)
    #expect(cache[id(8_000)] == open)
    #expect(cache[id(8_001)] == settled)
    #expect(cache[id(10_000)] == open)
    cache.update(settled, for: id(8_000))
    cache.trim()
    #expect(cache[id(9_000)] == nil)
    #expect(cache[id(9_001)] == open)
    cache.append(open, for: id(10_001))
    #expect(cache[id(10_001)] == open)
    #expect(cache[id(10_002)] == nil)
  }

  @Test func leavesWhatItDoesNotHoldToTheDatabase() {
    var cache = SampleStateCache()
    cache.update(settled, for: id(4))
    #expect(cache[id(4)] == nil)
    cache.append(open, for: id(5))
    cache.append(open, for: id(9))
    #expect(cache[id(5)] == nil)
    #expect(cache[id(9)] == open)
    cache.removeAll()
    #expect(cache[id(9)] == nil)
  }
}
