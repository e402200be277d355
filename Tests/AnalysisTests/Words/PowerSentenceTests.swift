import Measurement
import Store
import Testing

@testable import Analysis

/// Silence says how much it is worth.
@Suite struct PowerSentenceTests {
  private static func detector(
    _ powers: [DetectionPower]?, _ target: String = "ios", minutes: Int64 = 12, isYoung: Bool = true
  ) -> DetectorRecord {
    DetectorRecord(
      target: target, variant: "", provider: "apns", endpoint: "", through: WallTime(microseconds: 0),
      cursor: 0,
      age: minutes * 60_000_000, learning: isYoung ? 172_800_000_000 : nil, power: powers)
  }

  /// - Parameter steps: seconds and sizes.
  private static func power(_ metric: SeriesMetric, _ rate: Double, _ steps: [(Int64, Double)])
    -> DetectionPower
  {
    DetectionPower(
      metric: Stored(metric), rate: rate,
      steps: steps.map { .init(length: $0.0 * 1_000_000, size: $0.1, delay: $0.0 * 1_000_000) })
  }

  private static let usual = [
    power(.delivery, 20, [(10, 2), (40, 1.5), (60, 1.4)]), power(.accept, 20, [(40, 1.5)]),
    power(.lost, 20, [(20, 0.1), (60, 0.05)]), power(.failed, 20, [(40, 0.05)]),
    power(.refused, 20, [(40, 0.05)]),
  ]

  @Test func saysWhatWouldHaveBeenSeen() {
    #expect(
      PowerSentence([Self.detector(Self.usual)]).text
        == "Nothing found in 12 min at 20 notifications a second. This would have been noticed: arriving ×1.5 slower for 40 s or longer, answers ×1.5 slower for 40 s or longer, losses of 5 % for 1 min or longer, failures and refusals of 5 % for 40 s or longer. Smaller changes are noticed once more is recorded, most of them after two days."
    )
    let old = Self.detector(Self.usual, minutes: 4_320, isYoung: false)
    #expect(PowerSentence([old]).text.hasSuffix("failures and refusals of 5 % for 40 s or longer."))
  }

  @Test func theWorstOfSeveralIsTold() {
    let slow = [Self.power(.delivery, 0.1, [(600, 3), (1_800, 2)])]
    let text = PowerSentence([
      Self.detector(Self.usual, minutes: 40), Self.detector(slow, "web", minutes: 40),
      Self.detector([], "hook"),
    ]).text
    #expect(
      text.contains(
        "at 0.1 notifications a second. This would have been noticed: arriving ×2 slower for 30 min or longer"
      ),
      "\(text)")
    #expect(text.contains(" At hook nothing would have been noticed. "), "\(text)")
  }

  @Test func aChangeLongerThanWhatOneTargetHasIsOfTheOthers() {
    let young = Self.detector([Self.power(.accept, 4, [(20, 2)])], "web", minutes: 1)
    let old = Self.detector([Self.power(.accept, 4, [(20, 4), (300, 1.5)])], minutes: 12)
    #expect(PowerSentence([young, old]).text.hasPrefix("Nothing found in 1 min to 12 min at 4 "))
  }

  /// What the list leaves out would pass for seen: each series of which nothing is promised is named.
  @Test func whatWouldHaveBeenMissedIsTold() {
    let seen: [SeriesMetric] = [.delivery, .accept, .refused]
    let blind =
      seen.map { Self.power($0, 4, [(40, $0.isShare ? 0.05 : 1.5)]) } + [Self.power(.lost, 4, [])]
    let text = PowerSentence([Self.detector(blind), Self.detector(Self.usual, "web")]).text
    #expect(text.contains(", losses of 5 % for 1 min or longer, "), "\(text)")
    #expect(text.contains(" Losses and failures at ios would not have been noticed. "), "\(text)")
    #expect(PowerSentence([Self.detector(blind)]).text.contains(" Losses and failures would not have"))
    // One whose change goes on was noticed.
    let followed = [SeriesMetric.lost, .failed].map {
      DetectionPower(metric: Stored($0), rate: 4, steps: [], isFollowed: true)
    }
    let other = PowerSentence([Self.detector(blind.dropLast() + followed)]).text
    #expect(!other.contains("would not have"), "\(other)")
    // One without receipts loses nothing that could be known.
    #expect(
      PowerSentence([Self.detector([Self.power(.accept, 4, [(40, 1.5)])])]).text.contains(
        " Failures and refusals would not have been noticed."))
  }

  @Test func sharesThatAreSeenAlikeAreOne() {
    let alike = [
      Self.power(.lost, 4, [(60, 0.05)]), Self.power(.failed, 4, [(60, 0.05)]),
      Self.power(.refused, 4, [(40, 0.05)]),
    ]
    let text = PowerSentence([Self.detector(alike)]).text
    #expect(
      text.contains(
        "losses and failures of 5 % for 1 min or longer, refusals of 5 % for 40 s or longer."), "\(text)")
  }

  /// Changes that last longer than what is recorded cannot have been there; where a longer one is not seen better, it is not told.
  @Test func nothingLongerThanWhatIsRecordedIsClaimed() {
    let young = [
      Self.power(.delivery, 4, [(120, 10), (300, 6), (600, 6), (28_800, 6)]),
      Self.power(.lost, 4, [(20, 0.5)]), Self.power(.failed, 4, [(20, 0.5)]),
    ]
    #expect(
      PowerSentence([Self.detector(young, minutes: 1)]).text
        == "Nothing found in 1 min at 4 notifications a second. This would have been noticed: losses and failures of 50 % for 20 s or longer. Slower arrivals, slower answers and refusals would not have been noticed. Smaller changes are noticed once more is recorded, most of them after two days."
    )
    #expect(
      PowerSentence([Self.detector(young, minutes: 12)]).text.contains(
        ": arriving ×6 slower for 5 min or longer, losses"))
    let none = [Self.power(.delivery, 4, [(120, 10)])]
    #expect(PowerSentence([Self.detector(none, minutes: 1)]).text.hasSuffix("too little is recorded."))
  }

  @Test func whatIsNotKnownIsNotClaimed() {
    #expect(PowerSentence([]).text == "Nothing found; no collector watched for changes.")
    #expect(PowerSentence([Self.detector(nil)]).text.hasSuffix("not known for this store."))
    #expect(PowerSentence([Self.detector([])]).text.hasSuffix("too little is recorded."))
  }
}
