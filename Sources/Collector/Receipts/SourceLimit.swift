/// How much nonsense one source may send before it is told to wait (429).
///
/// Good receipts cost nothing: a busy device may post as fast as it can. A wrong MAC, an unknown id and a malformed
/// request cost ``badCost`` each, a duplicate 1, since somebody who has seen one good receipt can repeat it at will; so
/// does a question for the time, and each clock exchange beyond the number of good receipts it came with.
public struct SourceLimit: Sendable {
  public var budget = 5000
  public var regainedPerSecond = 1000
  public var badCost = 10
  /// Sources that are told apart; IPv6 ones by their /64.
  public var maximumSources = 10_000

  public init() {}
}
