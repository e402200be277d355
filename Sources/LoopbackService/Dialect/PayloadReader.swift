import Foundation
import NIOCore
import Providers

/// Reads what a device would: the JSON body's `pushscope` member.
enum PayloadReader {
  /// A readable payload; without `receipt` for notifications that carry no such member, or one that no collector of
  /// ours can have made.
  struct Contents: Equatable {
    var receipt: Receipt?
  }

  /// What goes back to the collector, word for word.
  struct Receipt: Equatable {
    var id: String
    var mac: String
  }

  /// Wants a JSON object; anything else is no payload.
  static func read(_ body: ByteBuffer) -> Contents? {
    let data = body.withUnsafeReadableBytes { Data($0) }
    guard let payload = try? JSONDecoder().decode(Payload.self, from: data) else { return nil }
    return Contents(receipt: payload.receipt)
  }

  private struct Payload: Decodable {
    struct Member: Decodable {
      var v: Int
      var id: String
      var mac: String
    }

    enum Key: String, CodingKey {
      case pushscope
    }

    var receipt: Receipt?

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      guard let member = try? container.decode(Member.self, forKey: .pushscope),
        member.v == PayloadMember.version, isPlain(member.id), isPlain(member.mac)
      else { return }
      receipt = Receipt(id: member.id, mac: member.mac)
    }

    /// UUIDs and base64url need no escaping when they are sent back.
    private func isPlain(_ text: String) -> Bool {
      (1...128).contains(text.utf8.count)
        && text.utf8.allSatisfy { byte in
          (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D || byte == 0x5F
        }
    }
  }
}
