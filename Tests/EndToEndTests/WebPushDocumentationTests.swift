import Foundation
import TestKit
import TestTraits
import Testing

/// docs/providers.md gives the shell commands that make a VAPID key and its public half; this test runs them unchanged.
@Suite(
  "Web Push by the documentation", .ownThread, .enabled(if: Programs.has("openssl", "basenc")),
  .timeLimit(.minutes(10)))
struct WebPushDocumentationTests {
  @Test("the public key that browsers subscribe with is the one that doctor shows")
  func publicKey() throws {
    let root = URL(fileURLWithPath: Programs.repository)
    let page = try String(contentsOf: root.appendingPathComponent("docs/providers.md"), encoding: .utf8)
    let commands = page.split(separator: "`").map(String.init).filter { $0.contains("openssl ec") }
    #expect(commands.count == 2, "\(commands)")
    let installation = try Installation(provider: "loopback")
    let service = try installation.startLoopback()
    let result = try run(
      "sh", ["-ec", "cd \"$0\"; " + commands.joined(separator: "\n"), installation.directory.path])
    #expect(result.status == 0, "\(result.error)")
    #expect(
      result.output.count == 87 && result.output.hasPrefix("B"),
      "a point that is not compressed: \(result.output)")
    // The key is made before any subscription that uses it; the test uses an unrelated subscription.
    try installation.directory.write(
      "webpush.yaml",
      """
      targets:
        - name: browser
          provider: webpush
          subscription_file: loopback/subscription.json
          endpoint: https://127.0.0.1:\(installation.loopbackPort)
          ca_file: loopback/ca.pem
          credentials: { vapid_key_file: vapid.pem, subject: mailto:ops@example.com }
      """)
    let doctor = try run(
      Programs.pushscope,
      ["doctor", "--config", installation.directory.file("webpush.yaml"), "--store", installation.store])
    #expect(doctor.output.contains("its public key is \(result.output)"), "\(doctor.output) \(doctor.error)")
    try service.stop()
  }
}
