import HTTPServer

/// What a dialect makes of a request.
enum Verdict {
  /// It keeps the rules; the scenario decides what becomes of it.
  case notification(IncomingNotification)
  /// - Parameter id: for the script.
  case refused(Refusal, id: String)
  /// Something else than a notification, with its answer: an access token, a health check.
  case answered(HTTPResponse)
  /// A stream of events.
  case subscription(NtfySubscriber.Request)
  /// A message is called back before it is delivered.
  case withdrawal(messageID: String)
}
