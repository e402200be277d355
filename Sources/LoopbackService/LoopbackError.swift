/// Why the loopback service cannot start.
public struct LoopbackError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The option or file.
  public var place: String
  public var message: String
  /// What the user can do.
  public var remedy: String

  public init(place: String, message: String, remedy: String) {
    self.place = place
    self.message = message
    self.remedy = remedy
  }

  public var description: String { "\(place): \(message); \(remedy)" }
}
