import Foundation
import Providers

/// A service account whose key openssl made.
struct TestAccount {
  let publicKeyFile: String
  private let folder: URL
  private let privateKey: String

  init() throws {
    folder = try TestFolder.make("account")
    let keyFile = folder.appendingPathComponent("key.pem")
    publicKeyFile = folder.appendingPathComponent("public.pem").path
    try Tool.openssl(["genpkey", "-algorithm", "RSA", "-out", keyFile.path])
    try Tool.openssl(["pkey", "-in", keyFile.path, "-pubout", "-out", publicKeyFile])
    privateKey = try String(contentsOf: keyFile, encoding: .utf8)
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

  /// The same in a file that only its owner can read.
  func file(tokenURI: String) throws -> String {
    let file = folder.appendingPathComponent("account.json")
    try json(tokenURI: tokenURI).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    return file.path
  }
}
