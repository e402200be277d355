/// A text that is not the value it should be: a duration, a rate, a time, an address.
public struct ValueTextError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The text, made harmless to print.
  public let text: String
  /// What is wrong with it, as the end of a sentence that begins with it.
  public let problem: String
  public let remedy: String

  init(_ text: String, _ problem: String, remedy: String) {
    self.text = text.visibleText
    self.problem = problem
    self.remedy = remedy
  }

  public var message: String { "\"\(text)\" \(problem)" }

  public var description: String { "\(message); \(remedy)" }
}
