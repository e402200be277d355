import HTTPServer
import Measurement
import NIOHPACK

/// Words the service's answers as APNs does.
enum APNsAnswer {
  /// 200 with the id and no body.
  static func accepted(id: String) -> HTTPResponse {
    HTTPResponse(status: 200, headers: ["apns-id": id])
  }

  /// `{"reason": …}`; with 410 also when the token was found to be inactive, Unix milliseconds.
  ///
  /// - Parameter reason: a word that needs no escaping.
  static func refused(
    _ word: ErrorWord, id: String?, retryAfter: Duration? = nil, now: WallTime
  ) -> Refusal {
    var headers = HPACKHeaders()
    if let id { headers.add(name: "apns-id", value: id) }
    let timestamp = word.status == 410 ? ",\"timestamp\":\(now.microseconds / 1000)" : ""
    let response = HTTPResponse(
      status: word.status, json: "{\"reason\":\"\(word.word)\"\(timestamp)}", headers: headers)
    return Refusal(
      status: word.status, reason: word.word, response: response.retrying(after: retryAfter))
  }
}
