/// One mistake in a file: where, which key, what is wrong and what to do.
public struct ConfigurationProblem: Sendable, Hashable, CustomStringConvertible {
  public var place: FilePosition
  /// The path to the key, like `targets[0].schedule.rate`; empty for the file as a whole.
  public var key: String
  public var message: String
  public var remedy: String

  public init(place: FilePosition, key: String = "", message: String, remedy: String) {
    self.place = place
    self.key = key
    self.message = message
    self.remedy = remedy
  }

  /// `file:line:column: key: what is wrong; what to do`.
  public var description: String {
    "\(place): \(key.isEmpty ? "" : key + ": ")\(message); \(remedy)"
  }
}
