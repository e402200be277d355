/// What sentences about a cause say beside its name and place; `nil` where it is not known.
public struct CauseDetails: Sendable, Hashable, Codable {
  /// Whether the affected targets' notifications left as early after their planned time as before.
  public var isSentOnTime: Bool?
  /// Whether the provider's answers came as early as before.
  public var isAcceptedAsBefore: Bool?
  /// Whether PING shows the network to the affected providers to be as fast as before.
  public var isPathAsBefore: Bool?
  /// The rise of a round trip to the provider, µs.
  public var roundTripRise: Int64?
  /// How many of the provider's devices are affected, and how many it has.
  public var devices: Int?
  public var allDevices: Int?
  /// The provider of the finding's target, with its host where a collector has two endpoints of the kind.
  public var provider: String?
  /// Whether the device of the finding's target, or the affected ones, get the notifications of other providers as before; `nil` where
  /// no other sends to them, or too little came of it.
  public var isDeviceWellElsewhere: Bool?
  /// What more than half of the failures have in common.
  public var failure: FailureReason?
  /// Whether only the device's own report says that it slept, and nothing came in bunches.
  public var isSleepReported: Bool?
  /// The circumstance on the device that sets the affected notifications apart.
  public var circumstance: Circumstance?
  /// The HTTP status of most refusals.
  public var status: Int?

  public init() {}
}
