import Foundation
import HTTPServer
import Measurement
import NIOCore
import NIOHPACK

/// A publish request.
struct NtfyPublication {
  /// ntfy's code of an error.
  struct Violation: Error {
    var code: String

    init(_ code: String) { self.code = code }
  }

  /// Text of an empty message.
  private static let trigger = "triggered"

  var topic: String
  var message: String
  /// Whether the body is delivered as base64.
  var isBinary = false
  var title: String?
  var priority: Int?
  var tags: [String] = []
  var click: String?
  var isKept = true

  /// `POST /topic`: the body is the message.
  init(topic: String, _ request: HTTPRequest) throws(Violation) {
    self.topic = topic
    let parameters = NtfyParameters(request)
    let isUnifiedPush =
      parameters.isOn("x-unifiedpush", "unifiedpush", "up")
      || request.headers.first(name: "content-encoding")?.lowercased() == "aes128gcm"
    guard parameters["x-attach", "attach", "a", "x-filename", "filename", "file", "f"] == nil else {
      throw Violation("40014")
    }
    let bytes = request.body.readableBytes
    // A longer message becomes an attachment, which this service does not support; UnifiedPush messages never do.
    guard bytes <= (isUnifiedPush ? NtfyDialect.maximumUnifiedPushBytes : NtfyDialect.maximumMessageBytes)
    else {
      throw Violation("40014")
    }
    let body = request.body.getBytes(at: request.body.readerIndex, length: bytes) ?? []
    if isUnifiedPush {
      message = Data(body).base64EncodedString()
      isBinary = true
    } else {
      guard let text = String(validating: body, as: UTF8.self) else { throw Violation("40011") }
      message = text.isEmpty ? parameters["x-message", "message", "m"] ?? Self.trigger : text
      guard message.utf8.count <= NtfyDialect.maximumMessageBytes else { throw Violation("40014") }
    }
    try apply(parameters)
    title = parameters["x-title", "title", "ti", "t"]
    click = parameters["x-click", "click"]
    tags = (parameters["x-tags", "tags", "tag", "ta"] ?? "").split(separator: ",").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    if let text = parameters["x-priority", "priority", "prio", "p"] { priority = try Self.priority(text) }
  }

  /// `POST /`: the body is a JSON object.
  init(json request: HTTPRequest) throws(Violation) {
    let data = request.body.withUnsafeReadableBytes { Data($0) }
    guard let value = try? JSONDecoder().decode(ReceivedJSON.self, from: data), let members = value.object
    else { throw Violation("40017") }
    func text(_ key: String) throws(Violation) -> String? {
      guard let value = members[key], value != .null else { return nil }
      guard let text = value.text else { throw Violation("40017") }
      return text.isEmpty ? nil : text
    }
    guard let topic = try text("topic") else { throw Violation("40009") }
    self.topic = topic
    message = try text("message") ?? Self.trigger
    guard message.utf8.count <= NtfyDialect.maximumMessageBytes, try text("attach") == nil else {
      throw Violation("40014")
    }
    title = try text("title")
    click = try text("click")
    switch members["priority"] {
    case nil, .null: break
    case .number(let number):
      guard (0...5).contains(number), number == number.rounded() else { throw Violation("40007") }
      priority = number == 0 ? nil : Int(number)
    default: throw Violation("40017")
    }
    if case .list(let list)? = members["tags"] { tags = list.compactMap(\.text) }
    if try text("delay") != nil { throw Violation("40004") }
    isKept = try text("cache") != "no"
    try apply(NtfyParameters(request))
  }

  private mutating func apply(_ parameters: NtfyParameters) throws(Violation) {
    // Delayed messages are not supported.
    guard parameters["x-delay", "delay", "x-at", "at", "x-in", "in"] == nil else { throw Violation("40004") }
    if parameters.isOff("x-cache", "cache") { isKept = false }
  }

  private static func priority(_ text: String) throws(Violation) -> Int {
    switch text.trimmingCharacters(in: .whitespaces).lowercased() {
    case "1", "min": return 1
    case "2", "low": return 2
    case "3", "default": return 3
    case "4", "high": return 4
    case "5", "max", "urgent": return 5
    default: throw Violation("40007")
    }
  }

  /// The message for subscribers and for the response.
  func message(id: String, time: Int64) -> NtfyMessage {
    var json = "{\"id\":\"\(id)\",\"time\":\(time)"
    if isKept { json += ",\"expires\":\(time + NtfyMessage.keptSeconds)" }
    json += ",\"event\":\"message\",\"topic\":\"\(topic)\""
    if let title { json += ",\"title\":\(JSONText.quoted(title))" }
    json += ",\"message\":\(JSONText.quoted(message))"
    if let priority { json += ",\"priority\":\(priority)" }
    if !tags.isEmpty {
      json += ",\"tags\":[\(tags.map(JSONText.quoted).joined(separator: ","))]"
    }
    if let click { json += ",\"click\":\(JSONText.quoted(click))" }
    if isBinary { json += ",\"encoding\":\"base64\"" }
    return NtfyMessage(id: id, time: time, topic: topic, json: json + "}", isKept: isKept)
  }
}

/// A published message.
struct NtfyMessage: Sendable, Equatable {
  /// Time for which a server stores a message, in seconds.
  static let keptSeconds: Int64 = 12 * 3600

  /// 12 letters and digits.
  var id: String
  /// Unix seconds.
  var time: Int64
  var topic: String
  /// JSON for subscribers and the publisher, without a line end.
  var json: String
  /// Whether it is stored for `since` requests.
  var isKept: Bool
}

/// Message ids in ntfy's form.
enum NtfyID {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

  /// 12 letters and digits.
  static func random() -> String {
    String((0..<12).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] })
  }
}

/// Parameters of a publish request: headers, in several spellings, or query parameters.
struct NtfyParameters {
  private let request: HTTPRequest
  private let query: [String: String]

  init(_ request: HTTPRequest) {
    self.request = request
    query = Dictionary(request.query.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
  }

  /// The first value of these names, which are in lower case.
  subscript(names: String...) -> String? {
    for name in names {
      if let value = request.headers.first(name: name), !value.isEmpty { return value }
    }
    return names.lazy.compactMap { query[$0] }.first { !$0.isEmpty }
  }

  func isOn(_ names: String...) -> Bool {
    for name in names {
      let value = (request.headers.first(name: name) ?? query[name] ?? "").lowercased()
      if ["1", "yes", "true"].contains(value) { return true }
    }
    return false
  }

  func isOff(_ names: String...) -> Bool {
    for name in names {
      let value = (request.headers.first(name: name) ?? query[name] ?? "").lowercased()
      if ["0", "no", "false"].contains(value) { return true }
    }
    return false
  }
}
