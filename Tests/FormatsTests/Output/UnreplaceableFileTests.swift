import Glibc
import TestKit
import Testing

@testable import Formats

@Suite("A file that cannot be replaced") struct UnreplaceableFileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory("output") }

  private func text(_ name: String) throws -> String {
    String(decoding: try directory.bytes(name), as: UTF8.self)
  }

  /// As rename(2) says of a file that is a mount of its own.
  private func busy(_ from: String, _ to: String) -> Int32 {
    errno = EBUSY
    return -1
  }

  @Test(
    "one that is a mount of its own gets the content in its place",
    arguments: ["", "a longer text that was there"])
  func mounted(older: String) throws {
    let path = try directory.write("out.csv", older)
    let file = try AtomicFile(path: path, rename: busy)
    let content = String(repeating: "0123456789", count: 60_000)
    try file.write(older.isEmpty ? content : "short")
    #expect(try text("out.csv") == older)
    try file.commit()
    #expect(try text("out.csv") == (older.isEmpty ? content : "short"))
    #expect(directory.names == ["out.csv"])
  }

  @Test("what can be refused is refused by the check, which leaves nothing") func check() throws {
    let path = try directory.write("out.csv", "older")
    try AtomicFile.check(path)
    try AtomicFile.check(directory.file("new.csv"))
    try AtomicFile.check("/dev/null")
    #expect(mkfifo(directory.file("fifo"), 0o600) == 0)
    // Without a reader, opening it would wait.
    try AtomicFile.check(directory.file("fifo"))
    #expect(try directory.names == ["fifo", "out.csv"] && text("out.csv") == "older")
    func code(_ path: String) -> OutputError.Code? {
      do throws(OutputError) {
        try AtomicFile.check(path)
        return nil
      } catch { return error.code }
    }
    #expect(code(directory.file("missing/out.csv")) == .noDirectory)
    #expect(code(directory.file("out.csv/x")) == .noDirectory)
    #expect(code(directory.file(".")) == .isDirectory)
  }
}
