import Foundation
import TestKit
import Testing

@testable import Configuration

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

  @Test func aByteOrderMarkIsNotPartOfASecret() throws {
    let directory = try TemporaryDirectory()
    #expect(try SecretFile(path: directory.write("a", "\u{FEFF}x\r\n")).read() == Array("x".utf8))
    #expect(try SecretReference.text(Secret("\u{FEFF}x")).read() == Array("x".utf8))
    #expect(try PlainFile(path: directory.write("b", "\u{FEFF}{}")).read() == Array("{}".utf8))
  }

  /// A volume of secrets in a container: of root, for the pod's group, in a directory that the process cannot change.
  @Test func aGroupOfOursMayReadWhatAnotherOwns() {
    let volume = SecretAccess(
      mode: 0o440, owner: 0, group: 2000, directory: .init(mode: 0o2755, owner: 0, isReadOnly: false),
      user: 1000,
      groups: [1000, 2000])
    func problem(_ change: (inout SecretAccess) -> Void) -> FileReadError.Code? {
      var access = volume
      change(&access)
      return access.problem
    }
    #expect(volume.problem == nil)
    #expect(problem { $0.mode = 0o640 } == nil)
    #expect(problem { $0.owner = 999 } == nil)
    for mode: UInt32 in [0o444, 0o644, 0o460, 0o450, 0o441] {
      #expect(problem { $0.mode = mode } == .exposed(mode: mode))
    }
    #expect(problem { $0.owner = 1000 } == .exposed(mode: 0o440), "who can change the mode should")
    #expect(problem { $0.groups = [1000] } == .exposed(mode: 0o440))
    #expect(problem { $0.directory = nil } == .exposed(mode: 0o440))
    // As the mount of a real volume is: everybody may write to it, but for the mount.
    for mode: UInt32 in [0o3777, 0o775] {
      #expect(problem { $0.directory?.mode = mode } == .replaceable)
      #expect(problem { $0.directory = .init(mode: mode, owner: 0, isReadOnly: true) } == nil)
    }
    #expect(problem { $0.directory?.owner = 1001 } == .replaceable)
    #expect(problem { $0.directory?.owner = 1000 } == nil)
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
