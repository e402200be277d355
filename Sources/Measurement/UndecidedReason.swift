/// What an undecided cause leaves open; the raw value is the part of the `cause` column after `undecided: `.
public enum UndecidedReason: Sendable, Hashable, Codable {
  /// Causes are sought only for changes to the worse.
  case notSought
  /// Too little was recorded before the change.
  case tooLittleBefore
  /// No part of the way carries enough of the change.
  case noPartStandsOut
  case pathOrProvider
  /// The path explains a part of it, the provider may explain the rest.
  case pathAndProvider
  case queueOrProvider
  /// All providers answer later.
  case serviceEverywhere
  /// Several providers answer later, others do not.
  case serviceOfSeveral
  case failuresOfSeveral
  case refusalsOfSeveral
  /// One provider refuses for several reasons.
  case severalRefusals
  /// Whether the provider, the device or the receipt listener loses them.
  case lossPlace
  case deliveryOrDevice
  /// Candidates that fit equally well (``between(_:)``), and what another version wrote.
  case other(String)

  private static let named: [UndecidedReason] = [
    .notSought, .tooLittleBefore, .noPartStandsOut, .pathOrProvider, .pathAndProvider, .queueOrProvider,
    .serviceEverywhere, .serviceOfSeveral, .failuresOfSeveral, .refusalsOfSeveral, .severalRefusals,
    .lossPlace, .deliveryOrDevice,
  ]
}

extension UndecidedReason: RawRepresentable {
  public init(rawValue: String) {
    self = Self.named.first { $0.rawValue == rawValue } ?? .other(rawValue)
  }

  public var rawValue: String {
    switch self {
    case .notSought: "causes are sought of what gets worse"
    case .tooLittleBefore: "too little before it"
    case .noPartStandsOut: "no part of the way stands out"
    case .pathOrProvider: "path or provider"
    case .pathAndProvider: "path and provider"
    case .queueOrProvider: "own queue or provider"
    case .serviceEverywhere: "service everywhere"
    case .serviceOfSeveral: "service of several providers"
    case .failuresOfSeveral: "failures of several providers"
    case .refusalsOfSeveral: "refusals by several providers"
    case .severalRefusals: "refusals"
    case .lossPlace: "losses: provider, device or receipts"
    case .deliveryOrDevice: "provider-delivery or device"
    case .other(let text): text
    }
  }
}

extension UndecidedReason {
  private static let separator = " or "

  /// Verdicts that fit equally well, as `device pixel or provider-delivery fcm`; ``deliveryOrDevice`` where there are none.
  public static func between(_ verdicts: [Verdict]) -> Self {
    guard !verdicts.isEmpty else { return .deliveryOrDevice }
    return .other(verdicts.map { "\($0.cause) \($0.scope ?? "")" }.joined(separator: separator))
  }

  /// The candidates of ``between(_:)``: `the device pixel`, `fcm`.
  public var candidates: [String] {
    rawValue.split(separator: Self.separator).map { candidate in
      let words = candidate.split(separator: " ", maxSplits: 1)
      guard words.count == 2 else { return String(candidate) }
      return words[0].hasPrefix(Cause.device.rawValue) ? "the device \(words[1])" : String(words[1])
    }
  }
}
