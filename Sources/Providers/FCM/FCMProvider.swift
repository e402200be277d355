import FoundationEssentials
import Measurement

/// Firebase Cloud Messaging, HTTP v1: a data message to one device.
public struct FCMProvider: Provider {

  private let url: String
  private let headers: [HeaderField]
  private let head: String
  private let tail: String
  private let payloadBytes: Int?
  private let secrets: [String]

  /// - Parameters:
  ///   - origin: scheme, host and port, without a trailing slash.
  ///   - deviceToken: the app's registration token or installation ID, as `receiver` says.
  ///   - ttl: how long FCM may keep it for a device that is away, whole seconds; zero: now or never. `nil` leaves FCM's
  ///     four weeks.
  ///   - validateOnly: have it checked and not delivered.
  ///   - payloadBytes: fill the request's body up to exactly so many bytes.
  ///   - accessToken: as the exchange of a ``ServiceAccount`` gave it.
  /// - Throws: ``ProviderError`` for settings that FCM would refuse.
  public init(
    origin: String, projectID: String, deviceToken: String, receiver: FCMReceiver = .token,
    priority: FCMPriority = .high,
    ttl: Duration? = .zero, validateOnly: Bool = false, payloadBytes: Int? = nil, accessToken: String
  ) throws(ProviderError) {
    guard ServiceAccount.isProjectID(projectID) else {
      throw ProviderError(
        "project_id", "is no project's", remedy: "use the project_id of the service account's file")
    }
    guard receiver.accepts(deviceToken) else {
      throw receiver == .token
        ? ProviderError(
          "device_token_file", "holds no registration token",
          remedy: "put in the token as FirebaseMessaging.getToken gave it to the app")
        : ProviderError(
          "fid_file", "holds no Firebase installation ID",
          remedy: "put in the 22 characters as FirebaseInstallations.getId gave them to the app")
    }
    secrets = [deviceToken]
    url = origin + FCMDialect.sendPath(projectID: projectID)
    headers = [
      HeaderField("authorization", "Bearer \(accessToken)"), HeaderField("content-type", "application/json"),
    ]
    let seconds = ttl.map { Int($0.components.seconds) }
    if let seconds, !(0...FCMDialect.longestTTL).contains(seconds) {
      throw ProviderError("ttl", "is out of range", remedy: "write a duration from 0s to 28d")
    }
    head =
      "{\"validate_only\":\(validateOnly),\"message\":{\"\(receiver.rawValue)\":\(JSONText.quoted(deviceToken)),\"data\":{"
    let keeping = seconds.map { ",\"ttl\":\"\($0)s\"" } ?? ""
    tail = "},\"android\":{\"priority\":\"\(priority.rawValue)\"\(keeping)}}}"
    self.payloadBytes = payloadBytes
    if let payloadBytes {
      let smallest = head.utf8.count + PayloadMember.largestStringFields.utf8.count + tail.utf8.count
      guard (smallest...max(smallest, FCMDialect.maximumPayloadBytes)).contains(payloadBytes) else {
        throw ProviderError(
          "payload_bytes", "\(payloadBytes) is out of range",
          remedy: "write a number from \(smallest) to \(FCMDialect.maximumPayloadBytes)")
      }
    }
  }

  public func request(for notification: PushNotification) -> PushRequest {
    let fields = PayloadMember.stringFields(for: notification)
    let padding =
      payloadBytes.map {
        PayloadPadding.text(bytes: $0 - head.utf8.count - fields.utf8.count - tail.utf8.count)
      } ?? ""
    return PushRequest(
      url: url, headers: headers, body: Array((head + fields + padding + tail).utf8), secrets: secrets)
  }

  public func assess(_ response: PushResponse) -> ProviderAssessment {
    if response.status == 200 {
      return ProviderAssessment(.accepted, answerID: AnswerID.member(\.name, of: response.body))
    }
    let status = FCMStatus(response.body)
    let credential: CredentialSignal? =
      switch (response.status, status?.errorCode) {
      case (401, nil): .expired
      // PERMISSION_DENIED: the account has no access to the project, or the API is not enabled.
      case (403, nil): .refused
      default: nil
      }
    return ProviderAssessment(
      .rejected(reason: status?.reason ?? ReasonBody.read(response.body)),
      retryAfter: RetryAfter.pause(response, unnamed: FCMDialect.unspecifiedRetryDelay),
      credential: credential,
      isReceiverUnknown: status?.errorCode.map(FCMDialect.unknownReceiver.contains) ?? false)
  }
}

/// An error of Google's services (google.rpc.Status), with FCM's code if present.
struct FCMStatus {
  /// google.rpc.Code, like `INVALID_ARGUMENT`.
  let status: String
  /// FcmError's `errorCode`, like `UNREGISTERED`; `nil` for errors of Google's front end.
  let errorCode: String?
  /// First field of google.rpc.BadRequest.
  let field: String?

  private struct Body: Decodable {
    struct Failure: Decodable {
      var status: String?
      var details: [Detail]?
    }
    var error: Failure
  }

  /// Details are in any order and of any type; unknown ones are skipped.
  private struct Detail: Decodable {
    struct Violation: Decodable {
      var field: String?
    }
    var type: String?
    var errorCode: String?
    var fieldViolations: [Violation]?

    enum Key: String, CodingKey {
      case type = "@type"
      case errorCode, fieldViolations
    }

    init(from decoder: any Decoder) throws {
      guard let container = try? decoder.container(keyedBy: Key.self) else { return }
      type = try? container.decode(String.self, forKey: .type)
      errorCode = try? container.decode(String.self, forKey: .errorCode)
      fieldViolations = try? container.decode([Violation].self, forKey: .fieldViolations)
    }
  }

  /// `nil` for any other body.
  init?(_ body: [UInt8]) {
    guard ReasonBody.isJSONObject(body),
      let failure = try? JSONDecoder().decode(Body.self, from: Data(body)).error,
      let status = failure.status
    else { return nil }
    self.status = status
    let details = failure.details ?? []
    errorCode = details.first { $0.type == FCMDialect.errorType }?.errorCode
    field = details.lazy.compactMap { $0.fieldViolations?.first?.field }.first
  }

  /// FCM's code, or else Google's, with the invalid field.
  var reason: String {
    let word = errorCode ?? status
    guard let field, !field.isEmpty else { return ReasonBody.bounded(word) }
    return ReasonBody.bounded("\(word): \(field)")
  }
}
