/// One push service's dialect: how a notification becomes a request and what its answer means.
///
/// Pure functions over values: no sockets, no clocks, no files. Whatever changes with time (tokens) is part of the
/// value and renewed by replacing it.
public protocol Provider: Sendable {
  /// The word in the configuration and in the `provider` column.
  var name: String { get }

  /// The request that carries a notification. Called on the timing thread shortly before the planned instant, so it
  /// must not block.
  func request(for notification: PushNotification) -> PushRequest

  /// What an answer means. The response is outside data: bounded in size, otherwise anything.
  func judge(_ response: PushResponse) -> ProviderAssessment
}
