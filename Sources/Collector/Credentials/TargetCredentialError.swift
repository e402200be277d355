import Configuration
import Providers

/// Why a target cannot be sent to: a credential, a device token or a subscription that is of no use. Nothing has been
/// sent then.
public struct TargetCredentialError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The target's name.
  public var target: String
  /// Where the configuration names what is wrong.
  public var place: FilePosition?
  /// What is wrong and where, without anything of the content.
  public var message: String
  public var remedy: String

  /// - Parameter setting: the key that names it, like `signing_key`, with or without `_file`.
  init(_ target: TargetConfiguration, _ setting: String, _ message: String, remedy: String) {
    self.target = target.name
    place = target.places.place(of: setting)
    self.message = message
    self.remedy = remedy
  }

  /// `file:line:column: key: what is wrong`, where the target is named already.
  var placedMessage: String { "\(beginning)\(message)" }

  /// `file:line:column: target name: key: what is wrong; what to do`.
  public var description: String { "\(beginning)target \(target): \(message); \(remedy)" }

  private var beginning: String { place.map { "\($0): " } ?? "" }
}
