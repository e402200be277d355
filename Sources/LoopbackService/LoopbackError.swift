/// Why the loopback service cannot start.
public struct LoopbackError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: Sendable, Equatable {
    /// A file in the directory of credentials is not one of the service's own.
    case unusableFile
    /// A file that the service was asked to write cannot be written.
    case cannotWrite
  }

  public var code: Code
  /// The option or file.
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
