// A notification service extension that tells pushscope's collector when each notification reached the phone.
//
// Add a Notification Service Extension target to the app, put this file in it, and set the three constants. The
// notification needs `mutable-content: 1` in `aps`, or iOS does not start the extension. The collector's
// certificate must be one that the phone trusts.
import Foundation
import UserNotifications

private let collector = "https://receipts.example.com:8443"
private let device = "my-iphone"
private let keptReceipts = "pushscope.receipts"

/// Unix time as it was when the process began, carried on by a clock that nobody sets (on Apple's systems
/// CLOCK_MONOTONIC goes on while the phone sleeps), in nanoseconds.
private enum DeviceTime {
  private static let origin = (
    wall: Int64(clock_gettime_nsec_np(CLOCK_REALTIME)), steady: Int64(clock_gettime_nsec_np(CLOCK_MONOTONIC))
  )

  static func now() -> Int64 { origin.wall + Int64(clock_gettime_nsec_np(CLOCK_MONOTONIC)) - origin.steady }
}

final class NotificationService: UNNotificationServiceExtension {
  private var content = UNNotificationContent()
  private var handler: ((UNNotificationContent) -> Void)?
  private var work: Task<Void, Never>?

  override func didReceive(
    _ request: UNNotificationRequest, withContentHandler handler: @escaping (UNNotificationContent) -> Void
  ) {
    let received = DeviceTime.now()
    content = request.content
    self.handler = handler
    guard let probe = request.content.userInfo["pushscope"] as? [String: Any],
      let id = probe["id"] as? String, let mac = probe["mac"] as? String
    else { return handler(content) }
    let receipt = Receipt(id: id, mac: mac, receivedAt: received / 1_000_000, device: device)
    work = Task {
      await Receipts.post(receipt)
      self.finish()
    }
  }

  override func serviceExtensionTimeWillExpire() {
    work?.cancel()
    finish()
  }

  private func finish() {
    handler?(content)
    handler = nil
  }
}

struct Receipt: Codable {
  var id: String
  var mac: String
  /// Cut to whole milliseconds, not rounded.
  var receivedAt: Int64
  var device: String

  enum CodingKeys: String, CodingKey {
    case id, mac, device
    case receivedAt = "received_at_ms"
  }
}

struct Exchange: Codable {
  var t1: Int64
  var t2: Int64
  var t3: Int64
  var t4: Int64?
  var device: String?
}

private struct Batch: Codable {
  var receipts: [Receipt]
  var clock: [Exchange]
}

enum Receipts {
  /// Exchanges clocks, then posts this receipt and those that could not be posted before.
  static func post(_ receipt: Receipt) async {
    let defaults = UserDefaults.standard
    let kept = defaults.data(forKey: keptReceipts).flatMap {
      try? JSONDecoder().decode([Receipt].self, from: $0)
    }
    let receipts = ((kept ?? []) + [receipt]).suffix(100)
    // Kept first: iOS may end the extension at any moment. A receipt that comes twice counts once.
    defaults.set(try? JSONEncoder().encode(Array(receipts)), forKey: keptReceipts)
    // Three questions, since the one that took least tells most; the first one also pays for the connection.
    var clock: [Exchange] = []
    for _ in 0..<3 { if let exchange = try? await exchangeClocks() { clock.append(exchange) } }
    guard let answer = try? await post(Batch(receipts: Array(receipts), clock: clock), to: "/v1/receipts")
    else { return }
    // 202: stored. 400, 401, 413: it will never be. Anything else, such as 429: later.
    if [202, 400, 401, 413].contains(answer.status) { defaults.removeObject(forKey: keptReceipts) }
  }

  private static func exchangeClocks() async throws -> Exchange {
    let asked = DeviceTime.now()
    let answer = try await post(["t1": asked], to: "/v1/clock")
    let answered = DeviceTime.now()
    var exchange = try JSONDecoder().decode(Exchange.self, from: answer.body)
    exchange.t4 = answered
    exchange.device = device
    return exchange
  }

  private static func post(_ body: some Encodable, to path: String) async throws -> (status: Int, body: Data)
  {
    guard let url = URL(string: collector + path) else { throw URLError(.badURL) }
    var request = URLRequest(url: url, timeoutInterval: 8)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "content-type")
    let (data, response) = try await URLSession.shared.upload(for: request, from: JSONEncoder().encode(body))
    return ((response as? HTTPURLResponse)?.statusCode ?? 0, data)
  }
}
