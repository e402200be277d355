import FoundationEssentials

/// An error as Google's services word it (google.rpc.Status), with FCM's own code where there is one.
struct FCMStatus {
  /// `INVALID_ARGUMENT`, `UNAUTHENTICATED` and the like.
  let status: String
  /// FcmError's `errorCode`: `UNREGISTERED`, `QUOTA_EXCEEDED` and the like; `nil` when Google's front end answered.
  let errorCode: String?
  /// The field that google.rpc.BadRequest names first.
  let field: String?

  private struct Body: Decodable {
    struct Failure: Decodable {
      var status: String?
      var details: [Detail]?
    }
    var error: Failure
  }

  /// Details come in any order and of any type; one that is not understood must not hide the others.
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

  /// `nil` for a body that is no such error.
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

  /// FCM's own word where it gave one, else Google's, with the field that it minds.
  var reason: String {
    let word = errorCode ?? status
    guard let field, !field.isEmpty else { return ReasonBody.bounded(word) }
    return ReasonBody.bounded("\(word): \(field)")
  }
}
