// A notification service extension that tells pushscope's collector when each notification reached the phone. Swift 6.
//
// Add a Notification Service Extension target to the app, put this file in it, and set the three constants. The
// notification needs `mutable-content: 1` in `aps`, or iOS does not start the extension (pushscope's alerts have it). The
// collector's certificate must be one that the phone trusts.
//
// What cannot report this way: everything but `push_type: alert`. Background notifications go to the app itself, when iOS
// sees fit, VoIP to PushKit; live activities, widgets, complications and the like start no code of the app's. An alert does
// not start the extension when notifications are switched off for the app, or before the first unlock after a restart.
//
// Of the times that a receipt can have, the extension knows one:
//
// - received_at_ms: the system calls it when a notification with mutable-content has arrived, before it shows it
//   (UNNotificationServiceExtension.didReceive(_:withContentHandler:)).
// - shown_at_ms: not known. iOS displays what the content handler is given, and tells no program of the app's when it has.
// - opened_at_ms: not known here. The app is told (UNUserNotificationCenterDelegate.userNotificationCenter(_:didReceive:
//   withCompletionHandler:)), which is another process, whose clock the collector knows nothing of.
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
  private var showing: Showing?
  private var work: Task<Void, Never>?

  override func didReceive(
    _ request: UNNotificationRequest, withContentHandler handler: @escaping (UNNotificationContent) -> Void
  ) {
    let received = DeviceTime.now()
    let showing = Showing(request.content, handler)
    self.showing = showing
    guard let probe = request.content.userInfo["pushscope"] as? [String: Any],
      let id = probe["id"] as? String, let mac = probe["mac"] as? String
    else { return showing.finish() }
    let receipt = Receipt(id: id, mac: mac, receivedAt: received / 1_000_000, device: device)
    work = Task {
      await Receipts.shared.post(receipt)
      showing.finish()
    }
  }

  /// iOS is about to end the extension. What is not posted is kept for the next time.
  override func serviceExtensionTimeWillExpire() {
    work?.cancel()
    showing?.finish()
  }
}

/// Hands the notification on exactly once, whether the work or the time ends first.
///
/// `@unchecked`: the handler is taken out under the lock, so one thread gets it, and the content is not changed.
private final class Showing: @unchecked Sendable {
  private let content: UNNotificationContent
  private let lock = NSLock()
  private var handler: ((UNNotificationContent) -> Void)?

  init(_ content: UNNotificationContent, _ handler: @escaping (UNNotificationContent) -> Void) {
    self.content = content
    self.handler = handler
  }

  func finish() {
    let handler = lock.withLock {
      defer { self.handler = nil }
      return self.handler
    }
    handler?(content)
  }
}

struct Receipt: Codable, Hashable, Sendable {
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

struct Exchange: Codable, Sendable {
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

/// Posts receipts, and keeps those that could not be posted; several notifications may be under way at once.
actor Receipts {
  static let shared = Receipts()

  private var kept: [Receipt] {
    get {
      UserDefaults.standard.data(forKey: keptReceipts)
        .flatMap { try? JSONDecoder().decode([Receipt].self, from: $0) } ?? []
    }
    set { UserDefaults.standard.set(try? JSONEncoder().encode(newValue), forKey: keptReceipts) }
  }

  /// Exchanges clocks, then posts this receipt and those that could not be posted before.
  func post(_ receipt: Receipt) async {
    // Kept first: iOS may end the extension at any moment. A receipt that comes twice counts once.
    let receipts = Array((kept + [receipt]).suffix(100))
    kept = receipts
    // Three questions, since the one that took least tells most; the first one also pays for the connection. Without any
    // the receipt still says that the notification arrived, and no later than the receipt.
    var clock: [Exchange] = []
    for _ in 0..<3 { if let exchange = try? await Self.exchangeClocks() { clock.append(exchange) } }
    guard let answer = try? await Self.post(Batch(receipts: receipts, clock: clock), to: "/v1/receipts")
    else { return }
    // 202: stored. 400, 401, 413: it will never be. Anything else, such as 429 or a portal's page: later.
    guard [202, 400, 401, 413].contains(answer.status) else { return }
    kept.removeAll(where: Set(receipts).contains)
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
