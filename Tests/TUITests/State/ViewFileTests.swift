import Foundation
import TestKit
import Testing
import Threads

@testable import TUI

@Suite("Views that a crash left") struct ViewFileTests {
  /// Those of other stores that nobody opens any more are removed after a month; those of processes at work and remembered ones stay.
  @Test func oldOnesAreRemoved() throws {
    let home = try TemporaryDirectory()
    let views = home.path + "/pushscope/views"
    try FileManager.default.createDirectory(atPath: views, withIntermediateDirectories: true)
    func make(_ name: String, days: Double) throws {
      try #require(FileManager.default.createFile(atPath: "\(views)/\(name)", contents: Data("{}".utf8)))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -days * 86_400)], ofItemAtPath: "\(views)/\(name)")
    }
    // No process has so high a number.
    try make("aa.2147483647.json", days: 31)
    try make("bb.2147483647.json", days: 29)
    try make("cc.1.json", days: 31)
    try make("dd.json", days: 31)
    let file = try #require(
      ViewFile(of: "/store", environment: ["XDG_STATE_HOME": home.path], outlastsTheEnd: false))
    #expect(file.claimLast() == nil)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: views).sorted() == [
        "bb.2147483647.json", "cc.1.json", "dd.json",
      ])
  }

  /// The kernel gives the id of a process that is gone to another one.
  @Test func anIdThatAnotherProcessHasGotIsNoDashboard() throws {
    let home = try TemporaryDirectory()
    let views = home.path + "/pushscope/views"
    let file = try #require(
      ViewFile(of: "/store", environment: ["XDG_STATE_HOME": home.path], outlastsTheEnd: false))
    let view = LastView(ViewState(), in: Snapshot(), window: nil)
    func leave(by process: String) throws {
      file.write(view)
      let name = try #require(try FileManager.default.contentsOfDirectory(atPath: views).first)
      let other = name.replacing("\(ProcessIdentity.own)", with: process)
      try #require(other != name)
      try FileManager.default.moveItem(atPath: "\(views)/\(name)", toPath: "\(views)/\(other)")
    }
    let parent = ProcessIdentity(runningAs: getppid())
    try leave(by: "\(parent.id)-1")
    #expect(file.claimLast() == view)
    #expect(file.claimLast() == nil, "it is given once")
    // In a container a dashboard has the id of the one before.
    try leave(by: "\(ProcessIdentity.own.id)")
    #expect(file.claimLast() == view)
    try leave(by: "\(parent)")
    #expect(file.claimLast() == nil, "it is that of a dashboard at work")
  }
}
