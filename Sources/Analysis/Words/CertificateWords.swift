public import Measurement
public import Store

/// What a person is told of a certificate that the collector shows to others.
public struct CertificateWords: Sendable {
  /// How long it is valid.
  public enum State: Sendable {
    case notYetValid, valid, endsSoon, ended
  }

  public let state: State
  /// `the receipt listener's certificate ends in 9 d`; `nil` while it is valid for long.
  public let text: String?
  /// ``text`` with the certificate's file: `the receipt listener's certificate ends in 9 d (/etc/pushscope/server.pem)`.
  public let line: String?

  /// One that is valid for long is told of so long before its end.
  private static let notice = Duration.days(14)

  /// One that is valid for days only is told of in the last quarter of its time.
  /// - Returns: `nil` for a condition of another kind.
  public init?(_ condition: Condition, at now: WallTime) {
    guard condition.kind == .certificate, let end = condition.until else { return nil }
    let what = "\(EscapedText.make(condition.subject))'s certificate"
    let left = end - now
    let wait = condition.since - now
    let validity = max(.zero, end - condition.since)
    if left <= .zero {
      (state, text) = (.ended, "\(what) ended \(LengthText.text(now - end)) ago")
    } else if wait > .zero {
      (state, text) = (.notYetValid, "\(what) is not valid for another \(LengthText.text(wait))")
    } else if left < min(Self.notice, validity / 4) {
      (state, text) = (.endsSoon, "\(what) ends in \(LengthText.text(left))")
    } else {
      (state, text) = (.valid, nil)
    }
    line = text.map { "\($0) (\(EscapedText.make(condition.detail)))" }
  }
}
