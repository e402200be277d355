import Foundation
import Measurement
import Providers

/// What providers are asked about in these tests.
enum Probes {
  /// 2026-03-04T05:06:07.123456Z
  static let plannedAt = WallTime(microseconds: 1_772_600_767_123_456)

  static func notification(_ sequence: Int64 = 9, mac: String? = String(repeating: "m", count: 43))
    -> PushNotification
  {
    var generator = SeededGenerator(seed: 1)
    let run = RunID(at: WallTime(microseconds: 0), using: &generator)
    return PushNotification(
      id: NotificationID(run: run, sample: SampleID(target: TargetID(rawValue: 1), sequence: sequence)),
      mac: mac, plannedAt: plannedAt)
  }

  static func response(
    _ status: Int, _ body: String = "", _ headers: [(String, String)] = []
  ) -> PushResponse {
    response(status, bytes: Array(body.utf8), headers)
  }

  static func response(_ status: Int, bytes: [UInt8], _ headers: [(String, String)] = []) -> PushResponse {
    PushResponse(
      status: status, headers: ResponseHeaders(headers.map { HeaderField($0.0, $0.1) }), body: bytes,
      receivedAt: plannedAt)
  }

  static func object(_ bytes: [UInt8]) throws -> [String: Any] {
    struct NoObject: Error {}
    guard let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] else {
      throw NoObject()
    }
    return object
  }
}

extension PushRequest {
  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

extension ResponseHeaders {
  init(_ fields: [HeaderField]) {
    self.init(lines: fields.flatMap { Array("\($0.name): \($0.value)\r\n".utf8) })
  }
}
