import NIOCore
import Testing

@testable import HTTPServer

@Suite("Descriptors that connections leave to the process") struct DescriptorReserveTests {
  @Test("an eighth of a low limit is kept, also when the descriptor of a closed connection is used again")
  func keepsSome() {
    var reports = 0
    let reserve = DescriptorReserve(24, limit: { 64 }) { _ in reports += 1 }
    let start = NIODeadline.now()
    #expect(!reserve.isShort(for: 55, connections: 20, at: start))
    #expect(reserve.isShort(for: 56, connections: 21, at: start))
    // The one that made room had a low descriptor.
    #expect(reserve.isShort(for: 30, connections: 21, at: start + .seconds(1)))
    #expect(!reserve.isShort(for: 30, connections: 20, at: start + .seconds(1)))
    #expect(reserve.isShort(for: 57, connections: 25, at: start + .seconds(2)))
    #expect(reports == 1)
    // What was learned is not for ever: others may have closed theirs.
    #expect(!reserve.isShort(for: 30, connections: 40, at: start + .minutes(2)))
    #expect(reserve.isShort(for: 56, connections: 40, at: start + .minutes(2)))
    #expect(reports == 2)
  }

  @Test("of a high limit the reserve is kept") func highLimit() {
    let reserve = DescriptorReserve(24, limit: { 1_024 }) { _ in }
    #expect(!reserve.isShort(for: 999, connections: 1))
    #expect(reserve.isShort(for: 1_000, connections: 1))
  }
}
