import Foundation
import TestKit
import TestTraits
import Testing

/// The files of the service, held against systemd's own programs.
@Suite("systemd takes the unit", .ownThread, .enabled(if: Programs.has("systemd-analyze")))
struct ServiceFilesTests {
  /// The unit with the program that there is: it names the one that `make install` puts in place.
  private func unit() throws -> (text: String, file: String, directory: TemporaryDirectory) {
    let text = try String(
      contentsOfFile: Programs.repository + "/config/systemd/pushscope.service", encoding: .utf8)
    let directory = try TemporaryDirectory()
    let file = try directory.write(
      "pushscope.service", text.replacing("/usr/local/bin/pushscope", with: Programs.pushscope))
    return (text, file, directory)
  }

  @Test("verify finds nothing to say") func verify() throws {
    let unit = try unit()
    let result = try run("systemd-analyze", ["verify", "--man=no", unit.file])
    #expect(result.status == 0 && result.output.isEmpty && result.error.isEmpty, "\(result)")
    // And would: the next line is one that it does not know.
    let wrong = try unit.directory.write("wrong.service", unit.text + "\nNoSuchKey=yes\n")
    #expect(try !run("systemd-analyze", ["verify", "--man=no", wrong]).error.isEmpty)
  }

  @Test("its exposure is at most 2.0") func exposure() throws {
    let unit = try unit()
    let result = try run("systemd-analyze", ["security", "--offline=true", "--threshold=20", unit.file])
    #expect(result.status == 0, "\(result.output)\(result.error)")
    let level = result.output.firstMatch(of: /exposure level for pushscope.service: (\d+\.\d)/)
    #expect(try #require(level.flatMap { Double($0.1) }) <= 2.0)
  }

  @Test("what docs/operations.md promises of it") func promises() throws {
    let lines = Set(try unit().text.split(separator: "\n").map(String.init))
    for line in [
      "Type=notify", "ExecReload=/bin/kill -HUP $MAINPID", "StateDirectory=pushscope", "WatchdogSec=60",
      "TimeoutStopSec=90", "RestartPreventExitStatus=64 66 78", "LimitRTPRIO=1", "User=pushscope",
    ] {
      #expect(lines.contains(line), "\(line)")
    }
    #expect(!lines.contains { $0.hasPrefix("RestrictRealtime") || $0.hasPrefix("DynamicUser") })
    #expect(!lines.contains { $0.hasPrefix("SystemCallFilter") && $0.contains("@resources") })
  }
}
