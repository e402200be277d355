import Foundation
import TestKit
import Testing

@testable import Collector

@Suite("Credential files that are replaced")
struct CredentialWatchTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory("watch") }

  /// Renamed over the old one, so that another inode shows it whatever the clock's resolution.
  private func replace(_ name: String, _ text: String) throws {
    let new = try directory.write(name + ".new", text)
    #expect(rename(new, directory.file(name)) == 0)
  }

  @Test("each version is told once, when it has stayed for two looks")
  func onceAndSettled() throws {
    let key = try directory.write("key", "one")
    var watch = CredentialWatch()
    #expect(watch.poll([key]).isEmpty)
    #expect(watch.poll([key]).isEmpty)
    try replace("key", "two")
    #expect(watch.poll([key]).isEmpty)
    // It changes again before the second look: not settled yet.
    try replace("key", "three")
    #expect(watch.poll([key]).isEmpty)
    #expect(watch.poll([key]) == [key])
    #expect(watch.poll([key]).isEmpty)
  }

  @Test("a file that is gone is waited for, and one that is new to the list is not a replacement")
  func goneAndNew() throws {
    let key = try directory.write("key", "one")
    var watch = CredentialWatch()
    _ = watch.poll([key])
    try FileManager.default.removeItem(atPath: key)
    for _ in 0..<4 { #expect(watch.poll([key]).isEmpty) }
    try replace("key", "two")
    #expect(watch.poll([key]).isEmpty)
    let other = try directory.write("other", "x")
    #expect(watch.poll([key, other]) == [key])
    #expect(watch.poll([key, other]).isEmpty)
  }
}
