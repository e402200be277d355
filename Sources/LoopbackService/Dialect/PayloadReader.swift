import Foundation
import NIOCore

/// Reads what a device would: a payload's `pushscope` member, or the same as string fields.
enum PayloadReader {
  /// A readable payload; without `receipt` for notifications that carry no such member, or one that no collector of
  /// ours can have made.
  struct Contents: Equatable {
    var receipt: Receipt?
    /// Also of one that asks for no receipt.
    var id: String?
  }

  /// What goes back to the collector, word for word.
  struct Receipt: Equatable, Sendable {
    var id: String
    var mac: String
  }

  /// The payload's layout, its `v`.
  private static let version = 1

  /// Wants a JSON object; anything else is no payload.
  static func read(_ body: ByteBuffer) -> Contents? { read(body.withUnsafeReadableBytes { Data($0) }) }

  static func read(_ body: Data) -> Contents? {
    try? JSONDecoder().decode(Payload.self, from: body).contents
  }

  /// FCM's data, where every value is a text.
  static func read(fields: [String: String]) -> Contents {
    guard fields["v"] == String(version), let id = fields["id"] else { return Contents() }
    return contents(id: id, mac: fields["mac"])
  }

  private static func contents(id: String, mac: String?) -> Contents {
    guard isPlain(id) else { return Contents() }
    guard let mac else { return Contents(id: id) }
    return isPlain(mac) ? Contents(receipt: Receipt(id: id, mac: mac), id: id) : Contents()
  }

  private struct Payload: Decodable {
    struct Member: Decodable {
      var v: Int
      var id: String
      var mac: String?
    }

    enum Key: String, CodingKey {
      case pushscope
    }

    var contents = Contents()

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      guard let member = try? container.decode(Member.self, forKey: .pushscope),
        member.v == PayloadReader.version
      else { return }
      contents = PayloadReader.contents(id: member.id, mac: member.mac)
    }
  }

  /// UUIDs and base64url need no escaping when they are sent back.
  private static func isPlain(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D || byte == 0x5F
      }
  }
}
