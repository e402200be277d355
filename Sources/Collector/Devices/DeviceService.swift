import Configuration
import FoundationEssentials
import HTTPServer
import Measurement
import NIOCore
import NIOHPACK
import Providers
import Store

/// A device that has authenticated a request by its key.
struct DeviceSender: Sendable {
  var name: String
  var keyHash: String
}

/// Answers what devices ask besides receipts: the page, and joining (`/v1/devices`). Confined to the listener's event loop; what changes
/// something is carried out elsewhere.
final class DeviceService {
  private static let devicesPath = "/v1/devices"
  private static let selfPath = "/v1/devices/self"
  /// Requests are a token and a subscription.
  private static let longestBody = 16 * 1024
  /// 32 wrong tokens or keys a minute from one source.
  private static let triesLimit = SourceLimit(budget: 32 * 60, regainedPerSecond: 32, badCost: 60)

  private let registry: DeviceRegistry
  private let loop: EventLoopHandle
  private let page: DevicePage
  private var limiter = SourceLimiter(limit: triesLimit)

  init(_ registry: DeviceRegistry, loop: EventLoopHandle) {
    self.registry = registry
    self.loop = loop
    page = DevicePage(applicationServerKey: registry.applicationServerKey)
  }

  /// Whether a path is one of these.
  static func handles(_ path: Substring) -> Bool {
    path == "/device" || path.hasPrefix(DevicePage.path) || isCall(path)
  }

  private static func isCall(_ path: Substring) -> Bool {
    path == devicesPath || path.hasPrefix("\(devicesPath)/")
  }

  /// The device whose key a request has: its name, `nil` without a key.
  /// - Throws: ``DeviceRegistry/Refusal`` for a key that nobody has.
  func sender(of exchange: HTTPExchange) throws(DeviceRegistry.Refusal) -> DeviceSender? {
    guard let key = Self.key(exchange.request) else { return nil }
    let hash = DeviceRegistry.hash(key)
    // First: those with wrong keys at the same address must not keep it out.
    guard let device = registry.device(keyHash: hash) else {
      throw refusedTry(exchange, DeviceRegistry.unknownDevice)
    }
    exchange.connection.setAuthenticated()
    return DeviceSender(name: device.name, keyHash: hash)
  }

  /// Counts a wrong try of a source.
  /// - Returns: the refusal, or that it tries too often.
  private func refusedTry(_ exchange: HTTPExchange, _ refusal: DeviceRegistry.Refusal)
    -> DeviceRegistry.Refusal
  {
    let (source, now) = (exchange.connection.source, exchange.request.arrivedAt)
    if let pause = limiter.pause(source, at: now) {
      return DeviceRegistry.Refusal(status: 429, message: "too many wrong tries", retryAfter: pause)
    }
    limiter.charge(source, Self.triesLimit.badCost, at: now)
    return refusal
  }

  /// - Parameter isPlain: whether the request came over the plain listener for browsers on this host.
  func respond(to exchange: HTTPExchange, _ path: Substring, isPlain: Bool) {
    let request = exchange.request
    do throws(DeviceRegistry.Refusal) {
      if Self.isCall(path) {
        try call(exchange, path, isPlain: isPlain)
      } else {
        guard request.method == "GET" || request.method == "HEAD" else {
          return exchange.answer(Self.wrongMethod("GET"))
        }
        let query = request.path.dropFirst(path.count).dropFirst()
        guard let answer = page.answer(path, query: query, isInvited: registry.isInvited) else {
          throw DeviceRegistry.Refusal(status: 404, message: "there is no such page")
        }
        exchange.answer(answer)
      }
    } catch {
      exchange.answer(Self.answer(error))
    }
  }

  // MARK: Calls

  private func call(_ exchange: HTTPExchange, _ path: Substring, isPlain: Bool) throws(DeviceRegistry.Refusal)
  {
    let request = exchange.request
    try Self.check(request, isPlain: isPlain)
    switch (request.method, String(path)) {
    case ("POST", Self.devicesPath): try join(exchange)
    case ("GET", Self.selfPath):
      let device = try knownSender(of: exchange)
      guard let known = registry.device(keyHash: device.keyHash) else { throw DeviceRegistry.unknownDevice }
      guard known.isServed else { throw DeviceRegistry.notServed }
      exchange.answer(Self.answer(200, known))
    case ("PUT", Self.selfPath):
      let device = try knownSender(of: exchange)
      update(exchange, device.keyHash, try Self.update(request))
    case ("DELETE", Self.selfPath): update(exchange, try knownSender(of: exchange).keyHash, .leave)
    case (_, Self.devicesPath): exchange.answer(Self.wrongMethod("POST"))
    case (_, Self.selfPath): exchange.answer(Self.wrongMethod("GET, PUT, DELETE"))
    default: throw DeviceRegistry.Refusal(status: 404, message: "there is no such call")
    }
  }

  private func knownSender(of exchange: HTTPExchange) throws(DeviceRegistry.Refusal) -> DeviceSender {
    guard let device = try sender(of: exchange) else {
      throw DeviceRegistry.Refusal(status: 401, message: "send the device's key: authorization: Bearer …")
    }
    return device
  }

  private struct JoinBody: Sendable, Decodable {
    var token: String
    var subscription: JoinedDevice.Subscription
    var platform: String
  }

  private struct UpdateBody: Sendable, Decodable {
    var subscription: JoinedDevice.Subscription?
    var paused: Bool?
  }

  private func join(_ exchange: HTTPExchange) throws(DeviceRegistry.Refusal) {
    guard let body = Self.body(JoinBody.self, exchange.request) else {
      throw refusedTry(exchange, Self.malformed)
    }
    guard registry.isInvited(body.token) else { throw refusedTry(exchange, DeviceRegistry.notInvited) }
    try Self.check(body.subscription)
    carryOut(exchange) { [registry, platform = Self.platform(body.platform)] in
      await registry.join(token: body.token, body.subscription, platform: platform).map { device in
        exchange.connection.setAuthenticated()
        return DeviceService.answer(
          201, "{\"name\":\(JSONText.quoted(device.name)),\"device_key\":\"\(device.key)\"}")
      }
    }
  }

  /// Answers with what comes of a change, which is carried out on another thread.
  private func carryOut(
    _ exchange: HTTPExchange,
    _ change: @escaping @Sendable () async -> Result<HTTPResponse, DeviceRegistry.Refusal>
  ) {
    Task.detached { [loop] in
      let answer: HTTPResponse =
        switch await change() {
        case .success(let answer): answer
        case .failure(let refusal): DeviceService.answer(refusal)
        }
      // The loop may have ended meanwhile.
      loop.execute { exchange.answer(answer) }
    }
  }

  private static func update(_ request: HTTPRequest) throws(DeviceRegistry.Refusal) -> DeviceRegistry.Update {
    guard let body = body(UpdateBody.self, request) else { throw malformed }
    switch (body.subscription, body.paused) {
    case (let subscription?, nil):
      try check(subscription)
      return .subscription(subscription)
    case (nil, let isPaused?): return .pause(isPaused)
    default: throw malformed
    }
  }

  private func update(_ exchange: HTTPExchange, _ keyHash: String, _ update: DeviceRegistry.Update) {
    carryOut(exchange) { [registry] in
      await registry.update(keyHash: keyHash, update).map {
        $0.map { DeviceService.answer(200, $0) } ?? DeviceService.noContent
      }
    }
  }

  // MARK: Requests

  /// Only the page itself may call: JSON needs a preflight from another site, which is not granted.
  private static func check(_ request: HTTPRequest, isPlain: Bool) throws(DeviceRegistry.Refusal) {
    if let origin = request.headers.first(name: "origin") {
      let own = "\(isPlain ? "http" : "https")://\(request.headers.first(name: "host") ?? "")"
      guard origin.lowercased() == own.lowercased() else {
        throw DeviceRegistry.Refusal(status: 403, message: "another site may not call this")
      }
    }
    guard request.method == "POST" || request.method == "PUT" else { return }
    let type = request.headers.first(name: "content-type")?.lowercased().prefix { $0 != ";" }
    guard type?.filter({ $0 != " " }) == "application/json" else {
      throw DeviceRegistry.Refusal(status: 415, message: "send content-type: application/json")
    }
    guard request.body.readableBytes <= longestBody else {
      throw DeviceRegistry.Refusal(status: 413, message: "the body is larger than \(longestBody) bytes")
    }
  }

  private static func body<Body: Decodable>(_ type: Body.Type, _ request: HTTPRequest) -> Body? {
    try? JSONDecoder().decode(type, from: request.body.withUnsafeReadableBytes { Data($0) })
  }

  private static func check(_ subscription: JoinedDevice.Subscription) throws(DeviceRegistry.Refusal) {
    guard subscription.isUsable else {
      throw DeviceRegistry.Refusal(status: 400, message: "the subscription is not one that can be sent to")
    }
  }

  /// A stranger's text, cut to whole characters of at most the bytes that the store takes.
  private static func platform(_ text: String) -> String {
    var cut = ""
    for character in text where cut.utf8.count + character.utf8.count <= DeviceRecord.longestPlatform {
      cut.append(character)
    }
    return cut
  }

  private static func key(_ request: HTTPRequest) -> String? {
    guard let value = request.headers.first(name: "authorization"), value.lowercased().hasPrefix("bearer ")
    else {
      return nil
    }
    return String(value.dropFirst("bearer ".count))
  }

  /// Whether a request over the plain listener names this host. A name that somebody points here must not make a site of theirs the
  /// page's origin.
  static func namesThisHost(_ request: HTTPRequest) -> Bool {
    let host = request.headers.first(name: "host") ?? ""
    return (try? Endpoint.parse("http://\(host)")).map {
      ListenAddress(host: $0.host, port: $0.port).isLoopback && $0.target.isEmpty
    } ?? false
  }

  // MARK: Answers

  private static let malformed = DeviceRegistry.Refusal(
    status: 400, message: "the body is not what this call takes")

  private static func answer(_ status: Int, _ json: String, retryAfter: Duration? = nil) -> HTTPResponse {
    var headers: HPACKHeaders = ["cache-control": "no-store", "x-content-type-options": "nosniff"]
    if let retryAfter { headers.add(name: "retry-after", value: "\(max(1, retryAfter.wholeSeconds))") }
    return HTTPResponse(status: status, json: json, headers: headers)
  }

  private static func answer(_ status: Int, _ device: DeviceRegistry.Status) -> HTTPResponse {
    answer(status, "{\"name\":\(JSONText.quoted(device.name)),\"state\":\"\(device.state.rawValue)\"}")
  }

  static let wrongHost = answer(
    DeviceRegistry.Refusal(status: 421, message: "open the page as http://localhost and the port"))

  static func answer(_ refusal: DeviceRegistry.Refusal) -> HTTPResponse {
    answer(
      refusal.status, "{\"error\":\(JSONText.quoted(refusal.message))}", retryAfter: refusal.retryAfter)
  }

  private static func wrongMethod(_ methods: String) -> HTTPResponse {
    var answer = answer(DeviceRegistry.Refusal(status: 405, message: "use \(methods)"))
    answer.headers.add(name: "allow", value: methods)
    return answer
  }

  private static let noContent = HTTPResponse(
    status: 204, headers: ["cache-control": "no-store", "x-content-type-options": "nosniff"])
}
