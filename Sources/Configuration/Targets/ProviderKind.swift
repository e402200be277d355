/// The push services this version speaks to.
public enum ProviderKind: String, Sendable, Hashable, CaseIterable {
  /// Any URL that takes a POST.
  case http
  /// The built-in service, `pushscope loopback`.
  case loopback

  /// Words that stand for services of other versions, so that they are not taken for typing mistakes.
  static let reserved = Dictionary(
    uniqueKeysWithValues: ["apns", "fcm", "webpush", "ntfy"].map { ($0, "is not spoken by this version yet") }
  )
}
