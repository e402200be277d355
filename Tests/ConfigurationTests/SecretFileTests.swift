import Configuration
import Foundation
import TestKit
import Testing

@Suite struct SecretFileTests {
  private func failure(_ path: String) -> FileReadError.Code? {
    do throws(FileReadError) {
      _ = try SecretFile(path: path).read()
      return nil
    } catch {
      return error.code
    }
  }

  @Test func whiteSpaceAtTheEndIsNotPartOfASecret() throws {
    let directory = try TemporaryDirectory()
    #expect(try SecretFile(path: directory.write("a", " x y \t\r\n")).read() == Array(" x y".utf8))
  }

  @Test(arguments: [0o640, 0o604, 0o620, 0o601, 0o644])
  func othersMayNotReadIt(_ mode: Int) throws {
    let directory = try TemporaryDirectory()
    #expect(failure(try directory.write("a", "x", mode: mode)) == .exposed(mode: UInt32(mode)))
  }

  @Test func whatIsNoFileIsRefused() throws {
    let directory = try TemporaryDirectory()
    #expect(failure(directory.path + "/none") == .missing)
    #expect(failure(directory.path) == .isDirectory)
    #expect(failure(try directory.write("a", " \n")) == .empty)
    #expect(
      failure(try directory.write("a", String(repeating: "x", count: 70_000)))
        == .tooLarge(maximumBytes: 65_536))
    let fifo = directory.path + "/fifo"
    #expect(mkfifo(fifo, 0o600) == 0)
    #expect(failure(fifo) == .notRegular)
  }

  @Test func aLongPathIsNamedToItsEnd() {
    let path = "/" + String(repeating: "directory/", count: 30) + "key.p8"
    let reference = SecretReference.file(SecretFile(path: path))
    #expect("\(reference)".hasSuffix("/key.p8\""))
    do throws(FileReadError) {
      _ = try reference.read()
    } catch {
      #expect(error.message.hasSuffix("/key.p8\""))
    }
  }

  @Test func describingASecretSaysNothing() {
    let secret = Secret("hunter2")
    var dumped = ""
    dump([secret], to: &dumped)
    #expect(!("\(secret) \([secret]) \(String(reflecting: secret))" + dumped).contains("hunter2"))
    #expect(secret.exposed == "hunter2")
  }
}
