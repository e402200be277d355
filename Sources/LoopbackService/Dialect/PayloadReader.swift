import Foundation
import Measurement
import NIOCore

/// Reads a payload's `pushscope` member, as JSON or as string fields.
enum PayloadReader {
  /// A payload. `receipt` is `nil` without a valid `pushscope` member.
  struct Contents: Equatable {
    var receipt: Receipt?
    /// The notification's id, also without a MAC, when no receipt is possible.
    var id: String?
  }

  /// Content of the receipt, unchanged.
  struct Receipt: Equatable, Sendable {
    var id: String
    var mac: String
  }

  /// Version of the payload, its `v`.
  private static let version = 1

  /// `nil` for anything but a JSON object.
  static func read(_ body: ByteBuffer) -> Contents? { read(body.withUnsafeReadableBytes { Data($0) }) }

  static func read(_ body: Data) -> Contents? {
    try? JSONDecoder().decode(Payload.self, from: body).contents
  }

  /// FCM's `data`, whose values are strings.
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

  /// UUIDs and base64url need no escaping in a receipt.
  private static func isPlain(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && text.utf8.allSatisfy(ASCII.isBase64URL)
  }
}

/// Any JSON value, for bodies of which all fields are checked.
enum ReceivedJSON: Decodable, Equatable {
  case null
  case boolean(Bool)
  case number(Double)
  case text(String)
  case list([ReceivedJSON])
  case object([String: ReceivedJSON])

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: Key.self) {
      var members: [String: ReceivedJSON] = [:]
      for key in container.allKeys {
        members[key.stringValue] = try container.decode(ReceivedJSON.self, forKey: key)
      }
      self = .object(members)
      return
    }
    if var container = try? decoder.unkeyedContainer() {
      var elements: [ReceivedJSON] = []
      while !container.isAtEnd { elements.append(try container.decode(ReceivedJSON.self)) }
      self = .list(elements)
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else {
      self = .text(try container.decode(String.self))
    }
  }

  var object: [String: ReceivedJSON]? { if case .object(let members) = self { members } else { nil } }

  var text: String? { if case .text(let text) = self { text } else { nil } }
}

/// `application/x-www-form-urlencoded`, in bodies and queries.
enum FormText {
  /// The first value of each name; invalid pairs are skipped.
  static func decode(_ text: some StringProtocol) -> [String: String] {
    var fields: [String: String] = [:]
    for pair in text.split(separator: "&").prefix(64) {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = plain(parts[0]), let value = plain(parts.count > 1 ? parts[1] : "") else { continue }
      if fields[name] == nil { fields[name] = value }
    }
    return fields
  }

  private static func plain(_ text: some StringProtocol) -> String? {
    text.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
  }
}
