import Formats
import Foundation
import Testing

@Suite struct AtomicFileTests {
  private let directory: String

  init() throws {
    directory = FileManager.default.temporaryDirectory.path + "/pushscope-atomic-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  private func names() -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
  }

  private func content(_ name: String) -> String? {
    FileManager.default.contents(atPath: "\(directory)/\(name)").map { String(decoding: $0, as: UTF8.self) }
  }

  private func failure(_ path: String) -> OutputError.Code? {
    do throws(OutputError) {
      _ = try AtomicFile(path: path)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func appearsOnlyWhenWhole() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try "old".write(toFile: "\(directory)/a.csv", atomically: false, encoding: .utf8)
    let file = try AtomicFile(path: "\(directory)/a.csv")
    try file.write("new")
    #expect(content("a.csv") == "old")
    try file.commit()
    #expect(content("a.csv") == "new")
    #expect(names() == ["a.csv"])
  }

  @Test func takesThePlaceOfWhatAKilledProcessWithTheSameIdLeft() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    // In a container every process has the same id: one that was killed between link and rename left this.
    try "killed".write(toFile: "\(directory)/a.csv.\(getpid()).tmp", atomically: false, encoding: .utf8)
    let file = try AtomicFile(path: "\(directory)/a.csv")
    try file.write("new")
    try file.commit()
    #expect(content("a.csv") == "new")
    #expect(names() == ["a.csv"])
  }

  @Test func leavesNothingWhenGivenUp() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try "old".write(toFile: "\(directory)/a.csv", atomically: false, encoding: .utf8)
    do {
      let file = try AtomicFile(path: "\(directory)/a.csv")
      try file.write("half")
      #expect(content("a.csv") == "old")
    }
    #expect(names() == ["a.csv"])
    #expect(content("a.csv") == "old")
  }

  @Test func aSymbolicLinkStaysOne() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try "old".write(toFile: "\(directory)/real.csv", atomically: false, encoding: .utf8)
    try FileManager.default.createSymbolicLink(
      atPath: "\(directory)/link.csv", withDestinationPath: "\(directory)/real.csv")
    let file = try AtomicFile(path: "\(directory)/link.csv")
    try file.write("new")
    try file.commit()
    #expect(content("real.csv") == "new")
    #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/link.csv")) != nil)
  }

  @Test func keepsTheModeOfTheFileItReplaces() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let path = "\(directory)/a.csv"
    try "old".write(toFile: path, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    try AtomicFile(path: path).commit()
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
  }

  @Test func aDeviceIsWrittenNotReplaced() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let file = try AtomicFile(path: "/dev/null")
    try file.write("x")
    try file.commit()
    var status = stat()
    #expect(stat("/dev/null", &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFCHR)
  }

  @Test func aFullDiskIsToldAsSuch() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let file = try AtomicFile(path: "/dev/full")
    #expect(throws: OutputError(code: .noSpace, name: "/dev/full", keepsPart: true)) { try file.write("x") }
  }

  @Test func placesThatCannotBeWrittenAreToldApart() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    #expect(failure(directory) == .isDirectory)
    #expect(failure("\(directory)/none/a.csv") == .noDirectory)
    #expect(failure("/proc/a.csv") == .noFiles)
    let refused = try #require(failure("/sys/pushscope.csv"))
    #expect([.permissionDenied, .readOnly].contains(refused))
  }
}
