import FoundationEssentials
import Measurement

/// What is asked of a collector about its devices.
public enum DeviceCommand: Sendable, Hashable {
  /// Lets one device join. The token itself is not in the store.
  case invite(DeviceInvitation)
  case remove(name: String)
  case rename(String, to: String)
}

/// An invitation for one device under one name.
public struct DeviceInvitation: Sendable, Hashable, Codable {
  public var name: String
  public var expiresAt: WallTime
  /// SHA-256 of the token in hexadecimal.
  public var tokenHash: String

  /// How long an invitation may be valid.
  public static let longest = Duration.seconds(30 * 86_400)

  public init(name: String, expiresAt: WallTime, tokenHash: String) {
    self.name = name
    self.expiresAt = expiresAt
    self.tokenHash = tokenHash
  }
}

extension DeviceCommand {
  static let words = ["invite", "device_remove", "device_rename"]

  /// The `name` of its row in the table `control`, whose other columns have no room for it.
  private struct Row: Codable {
    var device: String
    var to: String?
    var expiresAt: Int64?
    var sha256: String?

    enum CodingKeys: String, CodingKey {
      case device, to, sha256
      case expiresAt = "expires_at"
    }
  }

  var word: String {
    switch self {
    case .invite: Self.words[0]
    case .remove: Self.words[1]
    case .rename: Self.words[2]
    }
  }

  var row: String {
    let row =
      switch self {
      case .invite(let invitation):
        Row(
          device: invitation.name, expiresAt: invitation.expiresAt.microseconds, sha256: invitation.tokenHash)
      case .remove(let name): Row(device: name)
      case .rename(let name, let other): Row(device: name, to: other)
      }
    return JSONText.make(row)
  }

  /// Parses a row; `nil` if it is invalid. Names are checked by whoever carries it out.
  init?(word: String, row: String) {
    guard row.utf8.count <= 4096, let fields = try? JSONDecoder().decode(Row.self, from: Data(row.utf8))
    else { return nil }
    switch word {
    case Self.words[0]:
      guard let end = fields.expiresAt, let hash = fields.sha256 else { return nil }
      self = .invite(
        DeviceInvitation(name: fields.device, expiresAt: WallTime(microseconds: end), tokenHash: hash))
    case Self.words[1]: self = .remove(name: fields.device)
    case Self.words[2]:
      guard let to = fields.to else { return nil }
      self = .rename(fields.device, to: to)
    default: return nil
    }
  }
}
