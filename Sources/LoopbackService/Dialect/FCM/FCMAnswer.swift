import HTTPServer
import NIOHPACK

/// Words answers as Google's services do (google.rpc.Status), with FCM's own code as a detail.
enum FCMAnswer {
  /// Words that come from Google's front end, without FcmError.
  private static let frontEnd: Set<String> = ["UNAUTHENTICATED", "PERMISSION_DENIED", "NOT_FOUND"]

  private static let codes: [Int: String] = [
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE",
  ]

  static func accepted(project: String, message: String) -> HTTPResponse {
    HTTPResponse(status: 200, json: "{\n  \"name\": \"projects/\(project)/messages/\(message)\"\n}\n")
  }

  /// - Parameters:
  ///   - message: what is wrong, for people.
  ///   - field: the one at fault, for google.rpc.BadRequest.
  static func refused(
    _ word: ErrorWord, _ message: String, field: String? = nil, retryAfter: Duration? = nil
  ) -> Refusal {
    var details: [String] = []
    if let field {
      details.append(
        "{\"@type\":\"type.googleapis.com/google.rpc.BadRequest\",\"fieldViolations\":[{\"field\":"
          + "\"\(field.jsonEscaped)\",\"description\":\"\(message.jsonEscaped)\"}]}")
    }
    if !frontEnd.contains(word.word) {
      details.append(
        "{\"@type\":\"type.googleapis.com/google.firebase.fcm.v1.FcmError\",\"errorCode\":\"\(word.word)\"}")
    }
    let status = frontEnd.contains(word.word) ? word.word : codes[word.status] ?? "UNKNOWN"
    let list = details.isEmpty ? "" : ",\"details\":[\(details.joined(separator: ","))]"
    var headers = HPACKHeaders()
    if word.status == 401 { headers.add(name: "www-authenticate", value: "Bearer realm=\"loopback\"") }
    let response = HTTPResponse(
      status: word.status,
      json: "{\"error\":{\"code\":\(word.status),\"message\":\"\(message.jsonEscaped)\",\"status\":"
        + "\"\(status)\"\(list)}}", headers: headers)
    return Refusal(
      status: word.status, reason: field.map { "\(word.word): \($0)" } ?? word.word,
      response: response.retrying(after: retryAfter))
  }
}
