import Crypto
import Measurement

/// Signs provider tokens (Apple: Establishing a token-based connection to APNs).
public struct APNsTokenSigner: Sendable {
  private let key: P256.Signing.PrivateKey
  private let header: String
  private let teamID: String

  private static let remedy =
    "use the .p8 file as Apple's developer site gave it (Certificates, Identifiers & Profiles, Keys)"

  /// - Parameters:
  ///   - keyPEM: the content of the `.p8` file.
  ///   - keyID: ten characters, as on the developer site and in the file's name.
  ///   - teamID: ten characters, as in the membership's details.
  public init(keyPEM: [UInt8], keyID: String, teamID: String) throws(CredentialError) {
    key = try P256Key.read(keyPEM, remedy: Self.remedy)
    for (name, text) in [("key_id", keyID), ("team_id", teamID)] {
      guard Self.isIdentifier(text) else {
        throw CredentialError(
          .invalid, "goes with a \(name) that is not ten letters and digits",
          remedy: "copy the \(name) from Apple's developer site")
      }
    }
    header = "{\"alg\":\"ES256\",\"kid\":\"\(keyID)\"}"
    self.teamID = teamID
  }

  static func isIdentifier(_ text: String) -> Bool {
    text.utf8.count == 10
      && text.utf8.allSatisfy { ASCII.isDigit($0) || ASCII.isLetter($0) }
  }

  /// A token that is valid for an hour. Apple requires renewal after 20 to 60 minutes.
  public func token(issuedAt: WallTime) throws(CredentialError) -> String {
    let seconds = issuedAt.microseconds / 1_000_000
    return try WebToken.es256(header: header, claims: "{\"iss\":\"\(teamID)\",\"iat\":\(seconds)}", key: key)
  }
}
