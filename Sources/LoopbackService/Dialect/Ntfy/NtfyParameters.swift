import HTTPServer
import NIOHPACK

/// What a publisher may say beside the message: as a header in one of several spellings, or in the query.
struct NtfyParameters {
  private let request: HTTPRequest
  private let query: [String: String]

  init(_ request: HTTPRequest) {
    self.request = request
    query = Dictionary(request.query.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
  }

  /// The first that is given; names in lower case.
  subscript(names: String...) -> String? {
    for name in names {
      if let value = request.headers.first(name: name), !value.isEmpty { return value }
    }
    return names.lazy.compactMap { query[$0] }.first { !$0.isEmpty }
  }

  func isOn(_ names: String...) -> Bool {
    for name in names {
      let value = (request.headers.first(name: name) ?? query[name] ?? "").lowercased()
      if ["1", "yes", "true"].contains(value) { return true }
    }
    return false
  }

  func isOff(_ names: String...) -> Bool {
    for name in names {
      let value = (request.headers.first(name: name) ?? query[name] ?? "").lowercased()
      if ["0", "no", "false"].contains(value) { return true }
    }
    return false
  }
}
