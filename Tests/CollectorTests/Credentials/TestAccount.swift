import Foundation
import Providers
import TestKit
import TransportTestKit

/// A service account whose key openssl made.
struct TestAccount {
  let publicKeyFile: String
  private let directory: TemporaryDirectory
  private let privateKey: String

  init() throws {
    directory = try TemporaryDirectory("account")
    let keyFile = directory.file("key.pem")
    publicKeyFile = directory.file("public.pem")
    try Tool.openssl(["genpkey", "-algorithm", "RSA", "-out", keyFile])
    try Tool.openssl(["pkey", "-in", keyFile, "-pubout", "-out", publicKeyFile])
    privateKey = String(decoding: try directory.bytes("key.pem"), as: UTF8.self)
  }

  /// As Google hands it out.
  func json(tokenURI: String) throws -> Data {
    try JSONEncoder().encode([
      "type": "service_account", "project_id": "probe-1", "private_key_id": "k1",
      "private_key": privateKey, "client_email": "probe@probe-1.iam.gserviceaccount.com",
      "token_uri": tokenURI,
    ])
  }

  func parsed(tokenURI: String) throws -> ServiceAccount {
    try ServiceAccount(json: Array(json(tokenURI: tokenURI)))
  }

  /// The same in a file that only its owner can read, and that outlives the account.
  func file(tokenURI: String) throws -> String {
    try Self.files.get().write(
      "account-\(UUID().uuidString).json", String(decoding: json(tokenURI: tokenURI), as: UTF8.self))
  }

  private static let files = Result { try TemporaryDirectory("accounts") }
}
