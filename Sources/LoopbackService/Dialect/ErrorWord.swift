/// A service's word for an error.
struct ErrorWord: Sendable {
  var word: String
  var status: Int
  var kind: ErrorKind

  init(_ word: String, _ status: Int, _ kind: ErrorKind? = nil) {
    self.word = word
    self.status = status
    self.kind = kind ?? ErrorKind(status: status) ?? .malformed
  }
}
