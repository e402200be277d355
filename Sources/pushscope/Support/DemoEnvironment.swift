import Foundation
import Measurement

/// What the demonstration sets up for itself: a directory with credentials, a configuration and a store, and two free
/// ports. Nothing of the user's own is touched.
struct DemoEnvironment {
  let directory: String
  let receiptsPort: Int

  var store: String { directory + "/demo.sqlite" }
  var credentials: String { directory + "/loopback" }
  var configuration: String { directory + "/pushscope.yaml" }

  /// - Throws: ``CommandFailure`` when the directory cannot be made or no port is free.
  init() throws {
    directory = try Self.makeDirectory()
    receiptsPort = try FreePort.take()
  }

  func log(of child: String) -> String { "\(directory)/\(child).log" }

  /// Writes the collector's configuration once the loopback service's address is known.
  func writeConfiguration(endpoint: String, rate: String, arrivals: String = "poisson") throws {
    try write(
      "pushscope.yaml",
      """
      collector:
        receipts:
          listen: 127.0.0.1:\(receiptsPort)
          certificate_file: loopback/server.pem
          key_file: loopback/server.key
          secret_file: loopback/receipts.secret
      targets:
        - name: loopback
          provider: loopback
          endpoint: \(endpoint)
          ca_file: loopback/ca.pem
          schedule: { arrivals: \(arrivals), rate: \(rate) }
          receipt_deadline: 5s
      """)
  }

  /// Writes what the loopback service shall do.
  /// - Returns: the file.
  func writeScenario(_ text: String) throws -> String {
    try write("scenario.yaml", text)
    return directory + "/scenario.yaml"
  }

  func remove() { try? FileManager.default.removeItem(atPath: directory) }

  private func write(_ name: String, _ text: String) throws {
    let path = directory + "/" + name
    guard
      FileManager.default.createFile(
        atPath: path, contents: Data((text + "\n").utf8), attributes: [.posixPermissions: 0o600])
    else {
      throw CommandFailure(
        "cannot write \(path); check the free space and this user's permissions", exitStatus: .cannotCreate)
    }
  }

  private static func makeDirectory() throws -> String {
    let base = ProcessEnvironment.all["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    var template = Array((base + "/pushscope-demo-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw CommandFailure(
        "cannot make a directory in \(base): \(String(cString: strerror(errno))); set TMPDIR to one you may write to",
        exitStatus: .cannotCreate)
    }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
