/// The push services that pushscope speaks to.
public enum ProviderKind: String, Sendable, Hashable, CaseIterable {
  /// Apple's push service.
  case apns
  /// Firebase Cloud Messaging, HTTP v1.
  case fcm
  /// Browsers, and what speaks UnifiedPush.
  case webpush
  case ntfy
  /// Any URL that takes a request.
  case http
  /// The built-in service, `pushscope loopback`.
  case loopback
}
