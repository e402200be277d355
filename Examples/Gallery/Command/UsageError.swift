/// A command line that cannot be followed.
struct UsageError: Error, CustomStringConvertible, Equatable {
  let description: String

  init(_ description: String) { self.description = description }
}
