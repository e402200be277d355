import Configuration
import Providers

/// Reads secrets of one target and says which of them is of no use.
struct CredentialReader {
  let target: TargetConfiguration

  /// - Parameter name: the key without `_file`.
  func bytes(_ reference: SecretReference, as name: String) throws(TargetCredentialError) -> [UInt8] {
    let key = reference.key(name)
    do throws(FileReadError) {
      return try reference.read()
    } catch {
      throw TargetCredentialError(target, key, "\(key): \(error.message)", remedy: error.remedy)
    }
  }

  func parse<Result>(
    _ reference: SecretReference, as name: String,
    _ parse: ([UInt8]) throws(CredentialError) -> Result
  ) throws(TargetCredentialError) -> Result {
    let bytes = try bytes(reference, as: name)
    let key = reference.key(name)
    do throws(CredentialError) {
      return try parse(bytes)
    } catch {
      throw TargetCredentialError(
        target, key, "\(key): \(reference) \(error.message)", remedy: error.remedy)
    }
  }

  /// A secret that goes into a header or a URL: printable ASCII without blanks.
  func line(_ reference: SecretReference, as what: String) throws(TargetCredentialError) -> String {
    try parse(reference, as: what) { (bytes) throws(CredentialError) in
      guard !bytes.isEmpty, bytes.count <= 8192, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw CredentialError(
          .malformed, "is not a single line of printable characters without blanks",
          remedy: "put nothing but the \(what) itself in")
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  func apns(
    _ credentials: APNsSettings.Credentials
  ) throws(TargetCredentialError) -> TargetCredentials.Kind {
    switch credentials {
    case .token(let signingKey, let keyID, let teamID):
      return .apnsToken(
        try parse(signingKey, as: "signing_key") { (bytes) throws(CredentialError) in
          try APNsTokenSigner(keyPEM: bytes, keyID: keyID, teamID: teamID)
        })
    case .certificate(let certificateFile, let privateKeyFile):
      let facts = try plain(PlainFile(path: certificateFile), as: "certificate_file") {
        (bytes) throws(CredentialError) in try CertificateProperties(pem: bytes)
      }
      try parse(.file(privateKeyFile), as: "private_key") { (bytes) throws(CredentialError) in
        try facts.check(keyPEM: bytes)
      }
      return .apnsCertificate(
        certificateFile: certificateFile, keyFile: privateKeyFile.path, facts: facts)
    }
  }

  /// What is trusted instead of the system's authorities.
  func authority(_ path: String) throws(TargetCredentialError) {
    try plain(PlainFile(path: path, maximumBytes: 1024 * 1024), as: "ca_file") {
      (bytes) throws(CredentialError) in try CertificateProperties.checkAuthority(pem: bytes)
    }
  }

  /// A file that anybody may read.
  private func plain<Result>(
    _ file: PlainFile, as what: String, _ parse: ([UInt8]) throws(CredentialError) -> Result
  ) throws(TargetCredentialError) -> Result {
    let bytes: [UInt8]
    do throws(FileReadError) {
      bytes = try file.read()
    } catch {
      throw TargetCredentialError(target, what, "\(what): \(error.message)", remedy: error.remedy)
    }
    do throws(CredentialError) {
      return try parse(bytes)
    } catch {
      throw TargetCredentialError(
        target, what, "\(what): \"\(file.path)\" \(error.message)", remedy: error.remedy)
    }
  }

  func ntfy(
    _ credentials: NtfySettings.Credentials
  ) throws(TargetCredentialError) -> NtfyAuthorization {
    switch credentials {
    case .anonymous: return .none
    case .token(let token): return .token(try line(token, as: "token"))
    case .basic(let username, let password):
      return .basic(
        username: username,
        password: String(decoding: try bytes(password, as: "password"), as: UTF8.self))
    }
  }
}
