import HTTPServer
import NIOHPACK

/// Words answers as ntfy does: the message, or `{"code":…,"http":…,"error":…,"link":…}`.
enum NtfyAnswer {
  private static let site = "https://ntfy.sh/docs/"

  /// What is said with a number, and where it is explained.
  private static let texts: [String: (error: String, link: String)] = [
    "40004": ("invalid delay parameter: unable to parse delay", "publish/#scheduled-delivery"),
    "40007": ("invalid priority parameter", "publish/#message-priority"),
    "40008": ("invalid since parameter", "subscribe/api/#fetch-cached-messages"),
    "40009": ("invalid request: topic invalid", ""),
    "40010": ("invalid request: topic name is disallowed", ""),
    "40011": ("invalid message: message must be UTF-8 encoded", ""),
    "40014": ("invalid request: attachments not allowed", "config/#attachments"),
    "40017": ("invalid request: request body must be message JSON", "publish/#publish-as-json"),
    "40024": ("invalid request: request body must be valid JSON", ""),
    "40101": ("unauthorized", "publish/#authentication"),
    "40301": ("forbidden", "publish/#authentication"),
    "40401": ("page not found", ""),
    "41301": ("attachment too large, or bandwidth limit reached", "publish/#limitations"),
    "42901": ("limit reached: too many requests, please be nice", "publish/#limitations"),
    "42903": ("limit reached: too many active subscriptions, please be nice", "publish/#limitations"),
    "42908": ("limit reached: too many messages", "publish/#limitations"),
    "50001": ("internal server error", ""),
    "50701": ("cannot publish to UnifiedPush topic without previously active subscriber", ""),
  ]

  static func accepted(_ message: NtfyMessage) -> HTTPResponse {
    HTTPResponse(status: 200, json: message.json + "\n", headers: ["access-control-allow-origin": "*"])
  }

  static func refused(_ code: String, retryAfter: Duration? = nil) -> Refusal {
    refused(ErrorWord(code, Int(code.prefix(3)) ?? 500), retryAfter: retryAfter)
  }

  /// A word that is none of ntfy's is told as the error's text, with a number that ntfy does not use.
  static func refused(_ word: ErrorWord, retryAfter: Duration? = nil) -> Refusal {
    let (text, page) = texts[word.word] ?? (word.word, "")
    let code = texts[word.word] == nil ? "\(word.status)99" : word.word
    let link = page.isEmpty ? "" : ",\"link\":\"\(site)\(page)\""
    let response = HTTPResponse(
      status: word.status,
      json: "{\"code\":\(code),\"http\":\(word.status),\"error\":\"\(text.jsonEscaped)\"\(link)}\n")
    return Refusal(
      status: word.status, reason: "\(code) \(text)", response: response.retrying(after: retryAfter))
  }
}
