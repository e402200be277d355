import Configuration
import Crypto
import Foundation
import HTTPServer

extension LoopbackCredentials {
  /// Writes what a client needs and what depends on the port: the service account with its token endpoint, the
  /// subscriptions with their endpoints, and the ready-made configuration.
  func writeClientFiles(port: Int, receipts: ReceiptDestination?) throws {
    let origin = "https://127.0.0.1:\(port)"
    try writeServiceAccount(origin)
    for wording in WebPushErrorStyle.allCases {
      let keys =
        "{\"p256dh\":\"\(Base64URLText.encode(browser.privateKey.publicKey.x963Representation))\","
        + "\"auth\":\"\(Base64URLText.encode(browser.secret))\"}"
      try write(
        "{\"endpoint\":\"\(origin)\(wording.path)\(subscription)\",\"expirationTime\":null,\"keys\":\(keys)}\n",
        subscriptionFile(wording))
    }
    try write(ReadyMadeConfiguration(origin: origin, receipts: receipts).text, configurationFile)
  }

  private func write(_ text: String, _ path: String) throws {
    try PrivateFile.write(text, to: path, mode: 0o600)
  }

  private func writeServiceAccount(_ origin: String) throws {
    let data = Data((try? String(contentsOfFile: serviceAccountFile, encoding: .utf8))?.utf8 ?? "".utf8)
    var file = try JSONDecoder().decode(AccountFile.self, from: data)
    file.token_uri = origin + OAuthTokenEndpoint.path
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try write(String(decoding: try encoder.encode(file), as: UTF8.self) + "\n", serviceAccountFile)
  }
}
