import Configuration
import FoundationEssentials
import Measurement
import Providers
import Store

/// A device that joined by an invitation: a file of the device directory, which is its subscription with members of our own.
struct JoinedDevice: Sendable, Equatable {
  var name: String
  var subscription: Subscription
  /// The browser and the system, as the page says.
  var platform: String
  /// SHA-256 of the device key in hexadecimal; the key itself is the device's alone.
  var keyHash: String
  var joinedAt: WallTime
  /// `active`, `paused` or `gone`.
  var state: DeviceState

  /// Push API's `PushSubscription.toJSON()`.
  struct Subscription: Sendable, Equatable, Codable {
    struct Keys: Sendable, Equatable, Codable {
      var p256dh: String
      var auth: String
    }
    var endpoint: String
    var expirationTime: Double?
    var keys: Keys
  }

  /// Where its notifications go; `nil` where that is no URL.
  var endpoint: Endpoint? { try? Endpoint.parse(subscription.endpoint) }

  /// Its row of the store.
  /// - Parameter state: what it is by the present configuration.
  func record(in state: DeviceState) -> DeviceRecord {
    DeviceRecord(
      name: name, platform: platform, service: endpoint?.host ?? "", joinedAt: joinedAt, state: state)
  }
}

extension JoinedDevice {
  /// The members beside the subscription's.
  private struct File: Codable {
    struct Device: Codable {
      var platform: String
      var keySHA256: String
      var joinedAt: String
      var state: DeviceState

      enum CodingKeys: String, CodingKey {
        case platform, state
        case keySHA256 = "key_sha256"
        case joinedAt = "joined_at"
      }
    }
    var endpoint: String
    var expirationTime: Double?
    var keys: Subscription.Keys
    var device: Device
  }

  /// - Returns: `nil` for anything but what ``json`` has written.
  init?(name: String, json: [UInt8]) {
    guard DevicesConfiguration.isName(name),
      let file = try? JSONDecoder().decode(File.self, from: Data(json)),
      let joinedAt = WallTime(rfc3339: file.device.joinedAt),
      [.active, .paused, .gone].contains(file.device.state)
    else { return nil }
    self.init(
      name: name,
      subscription: Subscription(
        endpoint: file.endpoint, expirationTime: file.expirationTime, keys: file.keys),
      platform: file.device.platform, keyHash: file.device.keySHA256, joinedAt: joinedAt,
      state: file.device.state)
  }

  var json: String {
    let file = File(
      endpoint: subscription.endpoint, expirationTime: subscription.expirationTime, keys: subscription.keys,
      device: .init(platform: platform, keySHA256: keyHash, joinedAt: joinedAt.rfc3339, state: state))
    return JSONText.make(file, isIndented: true)
  }
}

extension JoinedDevice.Subscription {
  /// Bytes of JSON.
  private static let longest = 4096

  /// Whether it can be sent to.
  var isUsable: Bool {
    guard let json = try? JSONEncoder().encode(self), json.count <= Self.longest else { return false }
    return (try? PushSubscription(json: Array(json))) != nil
  }
}
