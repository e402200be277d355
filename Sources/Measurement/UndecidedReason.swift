/// What an undecided cause leaves open; the raw value is the part of the `cause` column after `undecided: `.
public struct UndecidedReason: Sendable, Hashable, Codable, RawRepresentable {
  public var rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  /// Only of what gets worse are causes sought.
  public static let notSought = Self(rawValue: "causes are sought of what gets worse")
  /// Too little was recorded before the change.
  public static let tooLittleBefore = Self(rawValue: "too little before it")
  /// No part of the way carries enough of the change.
  public static let noPartStandsOut = Self(rawValue: "no part of the way stands out")
  public static let pathOrProvider = Self(rawValue: "path or provider")
  /// The path explains a part of it, the provider may explain the rest.
  public static let pathAndProvider = Self(rawValue: "path and provider")
  public static let queueOrProvider = Self(rawValue: "own queue or provider")
  /// All providers answer later.
  public static let serviceEverywhere = Self(rawValue: "service everywhere")
  /// Several providers answer later, others do not.
  public static let serviceOfSeveral = Self(rawValue: "service of several providers")
  public static let failuresOfSeveral = Self(rawValue: "failures of several providers")
  public static let refusalsOfSeveral = Self(rawValue: "refusals by several providers")
  /// One provider refuses for several reasons.
  public static let severalRefusals = Self(rawValue: "refusals")
  public static let lossPlace = Self(rawValue: "losses: provider, device or receipts")
  public static let deliveryOrDevice = Self(rawValue: "provider-delivery or device")

  /// Verdicts that fit equally well, as `device pixel or provider-delivery fcm`; ``deliveryOrDevice`` where there are none.
  public static func between(_ verdicts: [Verdict]) -> Self {
    guard !verdicts.isEmpty else { return .deliveryOrDevice }
    return Self(
      rawValue: verdicts.map { "\($0.cause) \($0.scope ?? "")" }.joined(separator: " or "))
  }
}
