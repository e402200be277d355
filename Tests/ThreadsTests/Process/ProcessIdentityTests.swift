import Glibc
import Testing

@testable import Threads

@Suite("Identity of a process") struct ProcessIdentityTests {
  @Test func isReadAsItIsWritten() {
    let own = ProcessIdentity.own
    #expect(own.id == getpid() && own.start > 0)
    #expect(ProcessIdentity("\(own)") == own)
    #expect(own.isRunning)
  }

  @Test func aProcessThatHasTheIdOfAnotherIsNotIt() {
    #expect(ProcessIdentity("\(getpid())-1")?.isRunning == false)
    #expect(ProcessIdentity("\(getpid())")?.isRunning == true, "without a start nobody knows")
    // No process has so high a number.
    #expect(ProcessIdentity("2147483647-1")?.isRunning == false)
    #expect(ProcessIdentity("2147483647")?.isRunning == false)
  }

  @Test(arguments: ["", "-", "x", "0", "-1", "4711-", "4711-x", "4711--1", "4711-1-2"])
  func isRefused(text: String) { #expect(ProcessIdentity(text) == nil) }
}
