import Foundation
import TestKit
import Testing

@testable import Configuration

/// `credential:NAME`: files that the service manager gives to the unit alone.
@Suite struct ServiceCredentialTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func load(
    _ name: String, environment: [String: String] = [:], checksOnly: Bool = false
  ) throws -> PushscopeConfiguration {
    let text = """
      targets:
        - name: alerts
          provider: ntfy
          endpoint: https://127.0.0.1:1
          topic: probe
          credentials: { token_file: "credential:\(name)" }
      """
    let path = directory.path + "/pushscope.yaml"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return try PushscopeConfiguration.load(path: path, environment: environment, checksOnly: checksOnly)
  }

  /// systemd gives files of mode 0440 that belong to root, in a directory that only the unit may enter.
  @Test func fileOfTheUnitIsReadWhateverItsMode() throws {
    let path = directory.path + "/ntfy.token"
    try "tk_secret\n".write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
    let configuration = try load("ntfy.token", environment: ["CREDENTIALS_DIRECTORY": directory.path])
    guard case .ntfy(let ntfy) = configuration.targets[0].settings, case .token(let token) = ntfy.credentials
    else {
      Issue.record("no token was read")
      return
    }
    #expect(try token.read() == Array("tk_secret".utf8))
    #expect(configuration.unreadCredentials.isEmpty)
  }

  @Test(arguments: [true, false])
  func outsideTheUnitOnlyACheckAcceptsTheName(checksOnly: Bool) throws {
    if checksOnly {
      let configuration = try load("ntfy.token", checksOnly: true)
      #expect(configuration.unreadCredentials == ["ntfy.token"])
      #expect(configuration.targets[0].unreadCredentials == ["ntfy.token"])
    } else {
      let error = #expect(throws: ConfigurationError.self) { try load("ntfy.token") }
      #expect(error?.description.contains("LoadCredential=ntfy.token:") == true)
      #expect(error?.description.contains("pushscope.yaml:6:") == true)
    }
  }

  @Test(arguments: ["", ".", "..", "../etc/shadow", "a/b", "x y", "a:b"])
  func namesThatLeaveTheDirectoryAreRefused(name: String) throws {
    #expect(throws: ConfigurationError.self) {
      try load(name, environment: ["CREDENTIALS_DIRECTORY": directory.path])
    }
    #expect(throws: ConfigurationError.self) { try load(name, checksOnly: true) }
  }

  @Test func fileThatTheUnitWasNotGivenIsMissing() throws {
    let error = #expect(throws: ConfigurationError.self) {
      try load("other", environment: ["CREDENTIALS_DIRECTORY": directory.path])
    }
    #expect(error?.description.contains("there is no file") == true)
  }
}
