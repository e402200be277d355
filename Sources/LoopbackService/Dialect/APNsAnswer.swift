import HTTPServer
import Measurement
import NIOHPACK
import Providers

/// Words the service's answers as APNs does.
enum APNsAnswer {
  /// 200 with the id and no body.
  static func accepted(id: String) -> HTTPResponse {
    HTTPResponse(status: 200, headers: [APNsDialect.Header.id: id])
  }

  /// `{"reason": …}`; with 410 also when the token was found to be inactive, Unix milliseconds.
  ///
  /// - Parameter reason: a word that needs no escaping.
  static func refused(
    status: Int, reason: String, id: String?, retryAfter: Duration? = nil, now: WallTime
  ) -> HTTPResponse {
    var headers = HPACKHeaders()
    if let id { headers.add(name: APNsDialect.Header.id, value: id) }
    if let retryAfter {
      let seconds = retryAfter.components.seconds + (retryAfter.components.attoseconds > 0 ? 1 : 0)
      headers.add(name: "retry-after", value: String(seconds))
    }
    let timestamp = status == 410 ? ",\"timestamp\":\(now.microseconds / 1000)" : ""
    return HTTPResponse(status: status, json: "{\"reason\":\"\(reason)\"\(timestamp)}", headers: headers)
  }
}
