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

  @Test func theStartIsTheTwentySecondField() {
    let fields = (4...30).map(String.init).joined(separator: " ")
    #expect(ProcessIdentity.start(inStatus: Array("1 (a) b (c)) S \(fields)\n".utf8)) == 22)
    #expect(ProcessIdentity.start(inStatus: Array("1 (a) S 4 5 6".utf8)) == nil)
    #expect(ProcessIdentity.start(inStatus: Array("1".utf8)) == nil)
  }

  @Test(arguments: ["", "-", "x", "0", "-1", "4711-", "4711-x", "4711--1", "4711-1-2"])
  func isRefused(text: String) { #expect(ProcessIdentity(text) == nil) }
}
