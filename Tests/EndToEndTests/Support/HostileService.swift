import Foundation
import TestKit
import Testing

/// Hostile push services (Tests/Support/hostile_service.py), one port per behavior: `h1:NAME` or `h2:NAME`.
final class HostileService {
  private let process: RunningProcess
  let ports: [String: Int]

  /// - Parameters:
  ///   - decoy: the target of redirects.
  /// - Precondition: the installation has its ``Certificates``.
  init(_ installation: Installation, _ names: [String], decoy: String = "https://127.0.0.1:1/") throws {
    let folder = installation.directory.file("loopback")
    let process = try RunningProcess(
      Programs.python,
      [
        "-u", Programs.scripts + "/hostile_service.py", "--cert", folder + "/server.pem", "--key",
        folder + "/server.key", "--decoy", decoy,
      ] + names)
    self.process = process
    ports = try eventually("the hostile services listen", seen: { process.standardError }) {
      var ports: [String: Int] = [:]
      for line in process.standardOutput.split(separator: "\n") {
        let words = line.split(separator: " ")
        if words.count == 3, words[0] == "listening" { ports[String(words[1])] = Int(words[2]) }
      }
      return ports.count == Set(names).count ? ports : nil
    }
  }

  deinit { process.signal(SIGKILL) }

  /// The log of one of them: `connection`, or `request` with method and path.
  func said(_ word: String, by name: String) -> [String] {
    process.standardOutput.split(separator: "\n").map(String.init)
      .filter { $0 == "\(word) \(name)" || $0.hasPrefix("\(word) \(name) ") }
  }
}
