import Testing

@testable import Threads

@Suite("Arguments of this process") struct ProcessArgumentsTests {
  private func kernel(_ arguments: [String]) -> [UInt8] { arguments.flatMap { Array($0.utf8) + [0] } }

  @Test(
    "those that the runtime lost are the kernel's", arguments: [["/bin/x"], [], ["/bin/x", "HOME=/root"]])
  func lost(runtime: [String]) {
    let given = ["/bin/x", "gate", "", "--share", "99 %", "ü"]
    #expect(ProcessArguments.reconciled(runtime: runtime, kernel: kernel(given)) == given)
  }

  @Test("without /proc the runtime's are taken") func noKernel() {
    #expect(ProcessArguments.reconciled(runtime: ["x", "y"], kernel: []) == ["x", "y"])
  }

  @Test("here both agree") func agree() {
    #expect(ProcessArguments.all == Array(CommandLine.arguments.dropFirst()))
  }

  @Test("invalid UTF-8 is repaired as the runtime does") func invalid() {
    let given: [UInt8] = [0x78, 0, 0xFF, 0x61, 0]
    #expect(ProcessArguments.reconciled(runtime: ["x", "\u{FFFD}a"], kernel: given) == ["x", "\u{FFFD}a"])
  }
}
