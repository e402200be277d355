import Configuration
import Providers

/// Why a target cannot be sent to: a credential, a device token or a subscription that is of no use. Nothing has been
/// sent then.
public struct TargetCredentialError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The target's name.
  public var target: String
  /// What is wrong and where, without anything of the content.
  public var message: String
  public var remedy: String

  init(target: String, _ message: String, remedy: String) {
    self.target = target
    self.message = message
    self.remedy = remedy
  }

  /// - Parameter what: the key that names it, like `signing_key`.
  init(target: String, _ what: String, at place: SecretReference, _ error: CredentialError) {
    self.init(target: target, "\(what): \(place) \(error.message)", remedy: error.remedy)
  }

  public var description: String { "target \(target): \(message); \(remedy)" }
}
