import Configuration
import Measurement

extension ScriptEntry {
  /// One line of a script file. All times in µs; `arrived_us` and `received_us` on CLOCK_MONOTONIC.
  var json: String {
    switch self {
    case .request(let request): request.json
    case .delivery(let delivery):
      "{\"entry\":\"delivery\",\"dialect\":\"\(delivery.dialect.rawValue)\",\"index\":\(delivery.index),\"id\":\"\(delivery.id)\","
        + "\"received_us\":\(delivery.receivedAt.microseconds)}"
    case .reception(let reception):
      "{\"entry\":\"reception\",\"id\":\"\(reception.id)\",\"received_us\":\(reception.receivedAt.microseconds),"
        + "\"device_us\":\(reception.deviceTime.microseconds)}"
    }
  }
}

extension ScriptedRequest {
  fileprivate var json: String {
    var line = "{\"entry\":\"request\",\"dialect\":\"\(dialect.rawValue)\","
    line += "\"index\":\(index.map { String($0) } ?? "null"),\"id\":\"\(id)\","
    line +=
      "\"connection\":\(connection),\"arrived_us\":\(arrivedAt.microseconds),\"at_us\":\(at.microseconds),"
    switch answer {
    case .accepted:
      line += "\"answer\":\"accepted\",\"status\":\(dialect == .webpush ? 201 : 200),"
    case .refused(let status, let reason):
      line += "\"answer\":\"refused\",\"status\":\(status),\"reason\":\"\(reason.jsonEscaped)\","
    case .fault(let kind): line += "\"answer\":\"\(kind.rawValue)\","
    }
    line += "\"answer_after_us\":\(answerAfter.microseconds),"
    line += "\"deliveries_us\":[\(deliveries.map { String($0.microseconds) }.joined(separator: ","))],"
    line += "\"lost\":\(isLost),\"reordered\":\(isReordered)"
    if let episode { line += ",\"episode\":\"\(episode.jsonEscaped)\"" }
    return line + "}"
  }
}
