/// A line of a script that cannot be understood.
struct ScriptError: Error, CustomStringConvertible, Equatable {
  let line: Int
  let message: String

  var description: String { "line \(line): \(message)" }
}
