/// Where in a file something stands, as editors and compilers write it.
public struct FilePosition: Sendable, Hashable, CustomStringConvertible {
  /// The file as the user named it.
  public var file: String
  /// From 1; `nil` when the problem is the file itself.
  public var line: Int?
  /// From 1, counted in Unicode scalars.
  public var column: Int?

  public init(file: String, line: Int? = nil, column: Int? = nil) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// `file:line:column`, as far as known.
  public var description: String {
    var text = file
    if let line { text += ":\(line)" }
    if line != nil, let column { text += ":\(column)" }
    return text
  }
}
