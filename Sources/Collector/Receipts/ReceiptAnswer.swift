import HTTPServer
import NIOHPACK

/// Words the listener's answers.
enum ReceiptAnswer {
  /// 202: stored.
  static func stored(_ outcome: ReceiptOutcome) -> HTTPResponse {
    HTTPResponse(
      status: 202,
      json: "{\"accepted\":\(outcome.accepted),\"duplicate\":\(outcome.duplicate),"
        + "\"unknown\":\(outcome.unknown),\"refused\":\(outcome.refused)}")
  }

  /// `{"error": …}`.
  ///
  /// - Parameter message: our own words, which need no escaping.
  static func error(_ status: Int, _ message: String, headers: HPACKHeaders = HPACKHeaders()) -> HTTPResponse
  {
    HTTPResponse(status: status, json: "{\"error\":\"\(message)\"}", headers: headers)
  }

  /// With Retry-After in whole seconds, at least 1.
  static func wait(_ status: Int, _ message: String, for pause: Duration) -> HTTPResponse {
    let seconds = pause.components.seconds + (pause.components.attoseconds > 0 ? 1 : 0)
    return error(status, message, headers: ["retry-after": String(max(1, seconds))])
  }
}
