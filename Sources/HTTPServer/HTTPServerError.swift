/// Why a server could not be set up.
public struct HTTPServerError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    /// The address is in use, not ours, or needs privileges.
    case bind
    /// A certificate or key cannot be read, is not what it says, or does not fit its counterpart.
    case identity
    /// Credentials cannot be written.
    case write
  }

  public var code: Code
  /// The address or file.
  public var place: String
  public var message: String
  /// What the user can do.
  public var remedy: String

  public init(_ code: Code, place: String, message: String, remedy: String) {
    self.code = code
    self.place = place
    self.message = message
    self.remedy = remedy
  }

  public var description: String { "\(place): \(message); \(remedy)" }
}
