import Configuration
import HTTPServer
import Measurement

/// A request that keeps its dialect's rules.
struct IncomingNotification: Sendable {
  /// For the script: the payload's own id where it has one, else what the service calls it.
  var id: String
  /// What is answered when the scenario has nothing against it.
  var acceptance: HTTPResponse
  /// Words an error of the scenario's.
  var refusal: @Sendable (ErrorAnswer, WallTime) -> Refusal
  /// What a device can report; `nil` when no collector of ours can have made the payload.
  var receipt: PayloadReader.Receipt?
  /// False for what was only to be validated.
  var isForADevice = true
  /// By what a sender can call it back.
  var messageID: String?
  /// For ntfy's subscribers, who are the device there.
  var message: NtfyMessage?
}
