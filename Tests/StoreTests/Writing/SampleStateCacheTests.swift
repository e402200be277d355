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
    var book = SampleStateCache()
    for sequence in 1...10_000 { book.append(open, for: id(Int64(sequence))) }
    for sequence in 1...9_000 where sequence != 8_000 { book.update(settled, for: id(Int64(sequence))) }
    book.trim()
    #expect(book[id(7_999)] == nil)
    #expect(book[id(8_000)] == open)
    #expect(book[id(8_001)] == settled)
    #expect(book[id(10_000)] == open)
    book.update(settled, for: id(8_000))
    book.trim()
    #expect(book[id(9_000)] == nil)
    #expect(book[id(9_001)] == open)
    book.append(open, for: id(10_001))
    #expect(book[id(10_001)] == open)
    #expect(book[id(10_002)] == nil)
  }

  @Test func leavesWhatItDoesNotHoldToTheDatabase() {
    var book = SampleStateCache()
    book.update(settled, for: id(4))
    #expect(book[id(4)] == nil)
    book.append(open, for: id(5))
    book.append(open, for: id(9))
    #expect(book[id(5)] == nil)
    #expect(book[id(9)] == open)
    book.removeAll()
    #expect(book[id(9)] == nil)
  }
}
