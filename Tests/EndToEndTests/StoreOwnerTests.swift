import Foundation
import Glibc
import TestKit
import TestTraits
import Testing

/// A store that the service's user owns and its group reads: who may write is named, and a member of the group changes nothing.
@Suite("A store of another user", .ownThread, .enabled(if: getuid() == 0 && Programs.has("setpriv")))
struct StoreOwnerTests {
  private static let owner: uid_t = 65534
  private static let group: gid_t = 65534
  private static let member = "65532"

  @Test("its group reads, and is told who may write", .timeLimit(.minutes(10)))
  func members() throws {
    let directory = try TemporaryDirectory("owner")
    let store = directory.file("s.sqlite")
    let program = directory.file("pushscope")
    // The build may lie where other users cannot enter.
    try FileManager.default.copyItem(atPath: Programs.pushscope, toPath: program)
    let configuration = try directory.write(
      "c.yaml",
      """
      targets:
        - { name: h, provider: http, endpoint: "http://127.0.0.1:9/x", schedule: { rate: 20/s } }

      """)
    let recorded = try Programs.run(
      program, ["collect", "--config", configuration, "--store", store, "--count", "2", "--drain", "1s"])
    try #require(recorded.status == 0, "\(recorded.error)")
    for name in directory.names where name != "pushscope" { #expect(chmod(directory.file(name), 0o640) == 0) }
    for path in [directory.path] + directory.names.map(directory.file) {
      try #require(chown(path, Self.owner, Self.group) == 0)
    }
    try #require(chmod(directory.path, 0o750) == 0 && chmod(program, 0o755) == 0)

    func pushscope(_ arguments: [String]) throws -> Programs.Outcome {
      try Programs.run(
        "setpriv",
        ["--reuid", Self.member, "--regid", Self.member, "--groups", "\(Self.group)", program] + arguments
          + ["--store", store], environment: ["HOME": "/nonexistent"])
    }
    let runs = try pushscope(["runs", "list"])
    #expect(runs.status == 0 && runs.output.contains("completed"), "\(runs)")
    let name = String(cString: try #require(getpwuid(Self.owner)).pointee.pw_name)
    let commands = [
      ["annotate", "a note"], ["runs", "rename", "latest", "x"], ["runs", "delete", "latest", "--yes"],
    ]
    for command in commands {
      let refused = try pushscope(command)
      #expect(refused.status == 73, "\(refused)")
      #expect(refused.error.contains("belongs to the user \(name)"), "\(refused.error)")
      #expect(refused.error.contains("sudo -u \(name) pushscope \(command[0])"), "\(refused.error)")
    }
    #expect(try pushscope(["runs", "list"]).output == runs.output)

    // Findings that are saved by hand leave the store to its group.
    let saved = try Programs.run(program, ["findings", "--recompute", "--save", "--store", store])
    let attributes = try FileManager.default.attributesOfItem(atPath: store)
    #expect(saved.status == 0 && attributes[.posixPermissions] as? Int == 0o640, "\(saved) \(attributes)")

    // A copy that the owner made, in a directory where the group may make files.
    let copy = directory.file("copy.sqlite")
    try FileManager.default.copyItem(atPath: store, toPath: copy)
    try #require(chown(copy, Self.owner, Self.group) == 0 && chmod(directory.path, 0o770) == 0)
    let kept = try pushscope(["store", "backup", "--replace", copy])
    #expect(kept.status == 73 && kept.error.contains("belongs to the user \(name)"), "\(kept)")
    #expect(directory.names.filter { $0.hasPrefix("copy.") } == ["copy.sqlite"])
  }
}
