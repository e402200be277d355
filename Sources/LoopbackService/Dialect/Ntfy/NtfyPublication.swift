import Foundation
import HTTPServer
import NIOCore
import NIOHPACK

/// Reads what is published.
struct NtfyPublication {
  /// ntfy's number for what is wrong.
  struct Mistake: Error {
    var code: String

    init(_ code: String) { self.code = code }
  }

  /// The server reads so much of a body to see whether it is a message.
  private static let peekedBytes = 4096
  /// A body that fills what is read may go on, so it is an attachment.
  private static let maximumMessageBytes = peekedBytes - 1
  /// What an empty message becomes.
  private static let trigger = "triggered"

  var topic: String
  var message: String
  /// Of a body that is handed on as base64.
  var isBinary = false
  var title: String?
  var priority: Int?
  var tags: [String] = []
  var click: String?
  var isKept = true

  /// `POST /topic`: the body is the message.
  init(topic: String, _ request: HTTPRequest) throws(Mistake) {
    self.topic = topic
    let parameters = NtfyParameters(request)
    let isUnifiedPush =
      parameters.isOn("x-unifiedpush", "unifiedpush", "up")
      || request.headers.first(name: "content-encoding")?.lowercased() == "aes128gcm"
    guard parameters["x-attach", "attach", "a", "x-filename", "filename", "file", "f"] == nil else {
      throw Mistake("40014")
    }
    let bytes = request.body.readableBytes
    // A longer message would become an attachment, and there are none here. What UnifiedPush carries never does.
    guard bytes <= (isUnifiedPush ? Self.peekedBytes : Self.maximumMessageBytes) else {
      throw Mistake("40014")
    }
    let body = request.body.getBytes(at: request.body.readerIndex, length: bytes) ?? []
    if isUnifiedPush {
      message = Data(body).base64EncodedString()
      isBinary = true
    } else {
      guard let text = String(validating: body, as: UTF8.self) else { throw Mistake("40011") }
      message = text.isEmpty ? parameters["x-message", "message", "m"] ?? Self.trigger : text
      guard message.utf8.count <= Self.maximumMessageBytes else { throw Mistake("40014") }
    }
    try apply(parameters)
    title = parameters["x-title", "title", "ti", "t"]
    click = parameters["x-click", "click"]
    tags = (parameters["x-tags", "tags", "tag", "ta"] ?? "").split(separator: ",").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    if let text = parameters["x-priority", "priority", "prio", "p"] { priority = try Self.priority(text) }
  }

  /// `POST /`: everything is in a JSON object.
  init(json request: HTTPRequest) throws(Mistake) {
    let data = request.body.withUnsafeReadableBytes { Data($0) }
    guard let value = try? JSONDecoder().decode(JSONValue.self, from: data), let members = value.object
    else { throw Mistake("40017") }
    func text(_ key: String) throws(Mistake) -> String? {
      guard let value = members[key], value != .null else { return nil }
      guard let text = value.text else { throw Mistake("40017") }
      return text.isEmpty ? nil : text
    }
    guard let topic = try text("topic") else { throw Mistake("40009") }
    self.topic = topic
    message = try text("message") ?? Self.trigger
    guard message.utf8.count <= Self.maximumMessageBytes, try text("attach") == nil else {
      throw Mistake("40014")
    }
    title = try text("title")
    click = try text("click")
    switch members["priority"] {
    case nil, .null: break
    case .number(let number):
      guard (0...5).contains(number), number == number.rounded() else { throw Mistake("40007") }
      priority = number == 0 ? nil : Int(number)
    default: throw Mistake("40017")
    }
    if case .list(let list)? = members["tags"] { tags = list.compactMap(\.text) }
    if try text("delay") != nil { throw Mistake("40004") }
    isKept = try text("cache") != "no"
    try apply(NtfyParameters(request))
  }

  private mutating func apply(_ parameters: NtfyParameters) throws(Mistake) {
    // Nothing here waits: a delay is not understood.
    guard parameters["x-delay", "delay", "x-at", "at", "x-in", "in"] == nil else { throw Mistake("40004") }
    if parameters.isOff("x-cache", "cache") { isKept = false }
  }

  private static func priority(_ text: String) throws(Mistake) -> Int {
    switch text.trimmingCharacters(in: .whitespaces).lowercased() {
    case "1", "min": return 1
    case "2", "low": return 2
    case "3", "default": return 3
    case "4", "high": return 4
    case "5", "max", "urgent": return 5
    default: throw Mistake("40007")
    }
  }

  /// The message as it goes to subscribers and back to the publisher.
  func message(id: String, time: Int64) -> NtfyMessage {
    var json = "{\"id\":\"\(id)\",\"time\":\(time)"
    if isKept { json += ",\"expires\":\(time + NtfyMessage.keptSeconds)" }
    json += ",\"event\":\"message\",\"topic\":\"\(topic)\""
    if let title { json += ",\"title\":\"\(title.jsonEscaped)\"" }
    json += ",\"message\":\"\(message.jsonEscaped)\""
    if let priority { json += ",\"priority\":\(priority)" }
    if !tags.isEmpty {
      json += ",\"tags\":[\(tags.map { "\"\($0.jsonEscaped)\"" }.joined(separator: ","))]"
    }
    if let click { json += ",\"click\":\"\(click.jsonEscaped)\"" }
    if isBinary { json += ",\"encoding\":\"base64\"" }
    return NtfyMessage(id: id, time: time, topic: topic, json: json + "}", isKept: isKept)
  }
}
