import HTTPServer
import NIOHPACK

/// Words the listener's answers.
///
/// Pages of any origin may read them: the MAC is all the proof there is, so there is no login that a page could misuse.
enum ReceiptAnswer {
  private static func answer(_ status: Int, _ json: String, headers: HPACKHeaders = [:]) -> HTTPResponse {
    var headers = headers
    headers.add(name: "access-control-allow-origin", value: "*")
    return HTTPResponse(status: status, json: json, headers: headers)
  }

  /// 200: the time.
  static func time(t1: Int64, t2: Int64, t3: Int64) -> HTTPResponse {
    answer(200, "{\"t1\":\(t1),\"t2\":\(t2),\"t3\":\(t3)}", headers: ["cache-control": "no-store"])
  }

  /// 202: stored.
  static func stored(_ outcome: ReceiptOutcome) -> HTTPResponse {
    answer(
      202,
      "{\"accepted\":\(outcome.accepted),\"duplicate\":\(outcome.duplicate),"
        + "\"unknown\":\(outcome.unknown),\"refused\":\(outcome.refused)}")
  }

  /// `{"error": …}`.
  ///
  /// - Parameter message: our own words, which need no escaping.
  static func error(_ status: Int, _ message: String, headers: HPACKHeaders = HPACKHeaders()) -> HTTPResponse
  {
    answer(status, "{\"error\":\"\(message)\"}", headers: headers)
  }

  /// With Retry-After in whole seconds, at least 1.
  static func wait(_ status: Int, _ message: String, for pause: Duration) -> HTTPResponse {
    let seconds = pause.components.seconds + (pause.components.attoseconds > 0 ? 1 : 0)
    return error(status, message, headers: ["retry-after": String(max(1, seconds))])
  }
}
