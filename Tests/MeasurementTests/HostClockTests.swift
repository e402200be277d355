import Foundation
import Measurement
import Testing

@Suite struct BootIDTests {
  @Test func isTheKernelsAndStaysTheSame() throws {
    let boot = try #require(BootID.current())
    #expect(UUID(uuidString: boot) != nil)
    #expect(BootID.current() == boot)
    let file = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    #expect(file == boot + "\n")
  }
}
