import Configuration

/// A dialect's words for errors. The first one of a kind stands for what other dialects say of that kind.
struct ErrorCatalog: Sendable {
  let words: [ErrorWord]

  /// Status by word.
  var statuses: [String: Int] {
    Dictionary(words.map { ($0.word, $0.status) }, uniquingKeysWith: { first, _ in first })
  }

  subscript(word: String) -> ErrorWord? { words.first { $0.word == word } }

  subscript(kind: ErrorKind) -> ErrorWord? { words.first { $0.kind == kind } }

  /// A scenario's error in this dialect's words: its own as it is, another dialect's by what it means, a word that
  /// nobody knows as it was written.
  func translate(_ error: ErrorAnswer) -> ErrorWord {
    if let own = self[error.reason] { return ErrorWord(own.word, error.status, own.kind) }
    let foreign = ErrorCatalog.all.lazy.compactMap { $0[error.reason] }.first { $0.status == error.status }
    guard let kind = foreign?.kind ?? ErrorKind(status: error.status), let own = self[kind] else {
      return ErrorWord(error.reason, error.status)
    }
    return own
  }

  static let all = [apns, fcm, webPush, ntfy]
}
