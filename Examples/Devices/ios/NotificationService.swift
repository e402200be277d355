// A notification service extension that tells pushscope's collector when each notification reached the phone, and what state the
// phone was in. Swift 6.
//
// Add a Notification Service Extension target to the app, put this file in it, and set the three constants. The
// notification needs `mutable-content: 1` in `aps`, or iOS does not start the extension (pushscope's alerts have it). The
// collector's certificate must be one that the phone trusts. To report taps as well, put this file into the app's target, too,
// with NotificationDelegate.swift.
//
// What cannot report this way: everything but `push_type: alert`. Background notifications go to the app itself, when iOS
// sees fit, VoIP to PushKit; live activities, widgets, complications and the like start no code of the app's. An alert does
// not start the extension when notifications are switched off for the app, or before the first unlock after a restart.
//
// What a receipt can say, and where the extension knows it from:
//
// - received_at_ms: the system calls it when a notification with mutable-content has arrived, before it shows it
//   (UNNotificationServiceExtension.didReceive(_:withContentHandler:)).
// - opened_at_ms: the app is told, which is another process (NotificationDelegate.swift).
// - context: saver, network, notifications and os (Circumstances, below).
// - shown_at_ms: not known. iOS displays what the content handler is given, and tells no program when it has. The app is told of
//   those "that arrived while the app was running in the foreground" (userNotificationCenter(_:willPresent:
//   withCompletionHandler:)), and of no others: to report these alone would make all others look unseen.
// - provider_at_ms, priority, priority_sent: not known. The headers of the request to APNs are not in the notification, and
//   UNNotification.date is when the system delivered it.
// - app: not known. The extension is a process of its own, whether the app runs or not, and UIApplication is not for extensions.
// - idle, bucket: iOS has neither, or does not tell.
import Foundation
import Network
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

  static func now() -> Int64 { Int64(clock_gettime_nsec_np(CLOCK_MONOTONIC)) + offset }

  /// From CLOCK_MONOTONIC, which all processes share, to this process's time.
  static var offset: Int64 { origin.wall - origin.steady }

  /// The time of the process that has this offset.
  ///
  /// `nil` where it is far from the time of day: the phone was restarted since, or its clock was set.
  static func now(offset: Int64) -> Int64? {
    let time = Int64(clock_gettime_nsec_np(CLOCK_MONOTONIC)) + offset
    return abs(time - Int64(clock_gettime_nsec_np(CLOCK_REALTIME))) < 60_000_000_000 ? time : nil
  }
}

final class NotificationService: UNNotificationServiceExtension {
  private var showing: Showing?
  private var work: Task<Void, Never>?

  override func didReceive(
    _ request: UNNotificationRequest, withContentHandler handler: @escaping (UNNotificationContent) -> Void
  ) {
    let received = DeviceTime.now()
    guard let probe = request.content.userInfo["pushscope"] as? [String: Any],
      let id = probe["id"] as? String, let mac = probe["mac"] as? String
    else { return handler(request.content) }
    let receipt = Receipt(id: id, mac: mac, receivedAt: received / 1_000_000, device: device)
    let showing = Showing(receipt.added(to: request.content), handler)
    self.showing = showing
    work = Task {
      await Receipts.shared.post(receipt.with(Circumstances.current()))
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
  var openedAt: Int64?
  var context: Circumstances?

  enum CodingKeys: String, CodingKey {
    case id, mac, device, context
    case receivedAt = "received_at_ms"
    case openedAt = "opened_at_ms"
  }

  func with(_ context: Circumstances) -> Receipt {
    var receipt = self
    receipt.context = context
    return receipt
  }
}

/// A receipt on its way from the extension to the app, in the notification, whose `userInfo` the extension may change
/// (UNMutableNotificationContent.userInfo).
private struct Handover: Codable {
  static let key = "pushscope_receipt"
  var receipt: Receipt
  var offset: Int64
}

extension Receipt {
  /// The content, with what the app needs to report the same notification again.
  func added(to content: UNNotificationContent) -> UNNotificationContent {
    guard let changed = content.mutableCopy() as? UNMutableNotificationContent,
      let data = try? JSONEncoder().encode(Handover(receipt: self, offset: DeviceTime.offset))
    else { return content }
    changed.userInfo[Handover.key] = String(decoding: data, as: UTF8.self)
    return changed
  }

  /// The receipt of a notification that is opened now.
  init?(openedFrom userInfo: [AnyHashable: Any]) {
    guard let text = userInfo[Handover.key] as? String,
      let handover = try? JSONDecoder().decode(Handover.self, from: Data(text.utf8)),
      let opened = DeviceTime.now(offset: handover.offset)
    else { return nil }
    self = handover.receipt
    openedAt = opened / 1_000_000
  }
}

/// The state that the phone is in: `context` in docs/receipts.md. What iOS does not tell is left out.
struct Circumstances: Codable, Hashable, Sendable {
  var saver: Bool
  var network: String?
  var notifications: Bool
  var os: String

  static func current() async -> Circumstances {
    async let network = network()
    async let notifications = notifications()
    let version = ProcessInfo.processInfo.operatingSystemVersion
    return await Circumstances(
      // "the current state of Low Power Mode" (ProcessInfo.isLowPowerModeEnabled).
      saver: ProcessInfo.processInfo.isLowPowerModeEnabled,
      network: network, notifications: notifications,
      os: "iOS \(version.majorVersion).\(version.minorVersion)")
  }

  /// The interface that the network path uses (NWPathMonitor, NWPath.usesInterfaceType(_:)).
  ///
  /// `nil` where there is no path for this extension: the notification has come over one, so this is not reported as `none`. Nor
  /// does it wait longer than 200 ms for the answer.
  private static func network() async -> String? {
    let monitor = NWPathMonitor()
    defer { monitor.cancel() }
    let paths = AsyncStream<String?> { continuation in
      let queue = DispatchQueue(label: "pushscope.network")
      monitor.pathUpdateHandler = { continuation.yield(word(of: $0)) }
      monitor.start(queue: queue)
      queue.asyncAfter(deadline: .now() + 0.2) { continuation.finish() }
    }
    for await word in paths { return word }
    return nil
  }

  private static func word(of path: NWPath) -> String? {
    guard path.status == .satisfied else { return nil }
    if path.usesInterfaceType(.wifi) { return "wifi" }
    if path.usesInterfaceType(.cellular) { return "cellular" }
    return path.usesInterfaceType(.wiredEthernet) ? "ethernet" : "other"
  }

  /// Whether alerts may be shown: "the authorization status for displaying alerts", or those of Notification Center and the lock
  /// screen (UNNotificationSettings). Where it is none of them iOS does not start the extension, so this is `true` as a rule.
  private static func notifications() async -> Bool {
    await withCheckedContinuation { continuation in
      UNUserNotificationCenter.current().getNotificationSettings { settings in
        let places = [settings.alertSetting, settings.notificationCenterSetting, settings.lockScreenSetting]
        continuation.resume(returning: settings.authorizationStatus != .denied && places.contains(.enabled))
      }
    }
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
  ///
  /// - Parameter exchanges: how often clocks are exchanged; 0 in the app, whose clock is not the extension's.
  func post(_ receipt: Receipt, exchanges: Int = 3) async {
    // Kept first: iOS may end the extension at any moment. A receipt that comes twice counts once.
    let receipts = Array((kept + [receipt]).suffix(100))
    kept = receipts
    // Three questions, since the one that took least tells most; the first one also pays for the connection. Without any
    // the receipt still says that the notification arrived, and no later than the receipt.
    var clock: [Exchange] = []
    for _ in 0..<exchanges { if let exchange = try? await Self.exchangeClocks() { clock.append(exchange) } }
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
