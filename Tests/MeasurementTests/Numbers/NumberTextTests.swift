import Measurement
import Testing

@Suite("Shares, rates, counts, sizes and spans of time")
struct NumberTextTests {
  @Test(
    "a part of a count: only none and all are 0 and 100 %",
    arguments: [
      (0, 10, "0 %"), (10, 10, "100 %"), (1, 3, "33.3 %"), (9_999, 10_000, ">99.9 %"),
      (1, 1_000_000, "<0.1 %"), (1, 3_235, "<0.1 %"), (3, 5_000, "0.1 %"), (4_997, 5_000, "99.9 %"),
      (1, 2, "50.0 %"), (Int.max - 1, Int.max, ">99.9 %"), (0, 0, "–"),
    ] as [(Int, Int, String)]
  ) func briefShares(_ part: Int, _ whole: Int, _ text: String) {
    #expect(PercentText.brief(part, of: whole) == text)
  }

  @Test(
    "an estimated share has the decimals that tell it from none and from all",
    arguments: [
      (0, "0 %"), (1, "100 %"), (0.03, "3.0 %"), (0.12, "12.0 %"), (0.005, "0.50 %"), (0.0095, "1.0 %"),
      (0.0007, "0.070 %"), (0.9904, "99.0 %"), (0.9997, "99.970 %"), (0.999_99, "99.9990 %"),
      (0.000_001, "0.00010 %"), (0.000_000_001, "0.00000 %"),
    ] as [(Double, String)]
  ) func fineShares(_ share: Double, _ text: String) {
    #expect(PercentText.fine(share) == text)
    #expect(PercentText.fineNumber(share) + " %" == text)
  }

  @Test(
    "a share that a person chose keeps its decimals",
    arguments: [
      (0.1, "10 %"), (0.999, "99.9 %"), (0.9999, "99.99 %"), (0.07, "7 %"), (1.5, "150 %"), (0, "0 %"),
      (0.005, "0.5 %"), (100, "10000 %"),
    ] as [(Double, String)]
  ) func givenShares(_ share: Double, _ text: String) { #expect(PercentText.given(share) == text) }

  @Test(
    "a difference of shares has its sign",
    arguments: [
      (0.003, "+0.30 points"), (-0.021_74, "-2.17 points"), (0, "0.00 points"), (0.000_001, "0.00 points"),
      (-0.000_001, "0.00 points"), (.infinity, "… points"),
    ] as [(Double, String)]
  ) func points(_ difference: Double, _ text: String) { #expect(PercentText.points(difference) == text) }

  @Test(
    "rates have three digits, and a unit in which they are at least a tenth",
    arguments: [
      (4.0, "4/s"), (3.98, "3.98/s"), (3.996, "4/s"), (66.67, "66.7/s"), (99.96, "100/s"), (1000, "1000/s"),
      (12_500, "12 500/s"), (1e300, "1 000 000 000 000 000/s"), (0.9999, "1/s"), (0.5, "0.5/s"),
      (0.1666, "0.167/s"), (0.099_96, "0.1/s"), (0.099, "5.94/min"),
      (1.0 / 15, "4/min"), (0.02, "1.2/min"), (0.9 / 60, "0.9/min"), (1.0 / 3_600, "1/h"),
      (1.0 / 86_400, "1/d"),
      (0.01 / 86_400, "0.01/d"), (0, "0/s"), (-1, "0/s"), (.nan, "0/s"),
    ] as [(Double, String)]
  ) func rates(_ perSecond: Double, _ text: String) { #expect(FrequencyText.text(perSecond) == text) }

  @Test(
    "in a sentence a rate says what it is of",
    arguments: [
      (20, "20 notifications a second"), (1, "1 notification a second"),
      (4.0 / 60, "4 notifications a minute"),
      (1.0 / 3_600, "1 notification an hour"), (0.01 / 86_400, "0.01 notifications a day"),
      (12_500, "12 500 notifications a second"), (0, "0 notifications a second"),
    ] as [(Double, String)]
  ) func saidRates(_ perSecond: Double, _ text: String) { #expect(FrequencyText.sentence(perSecond) == text) }

  @Test("counts have groups of three from five digits on, and nouns agree with them")
  func counts() {
    #expect(
      [0, 4_711, 47_110, 1_234_567, -12_345].map { CountText.grouped($0) } == [
        "0", "4711", "47 110", "1 234 567", "-12 345",
      ])
    #expect(
      [0, 1, 2, 12_500].map { CountText.text($0, "run") } == ["0 runs", "1 run", "2 runs", "12 500 runs"])
    #expect(CountText.text(1, "delivery", plural: "deliveries") == "1 delivery")
    #expect(CountText.text(2, "delivery", plural: "deliveries") == "2 deliveries")
    #expect([12, 0, -12_345].map(CountText.signed) == ["+12", "0", "-12 345"])
    #expect(
      [0, 37.6, 12_500, 1e300].map(CountText.effective) == ["1", "38", "12 500", "1 000 000 000 000 000"])
  }

  @Test(
    "sizes",
    arguments: [
      (0, "0 B"), (950, "950 B"), (999, "999 B"), (1_000, "1.0 kB"), (12_345, "12.3 kB"),
      (999_949, "999.9 kB"),
      (999_950, "1.0 MB"), (12_300_000_000, "12.3 GB"), (2_000_000_000_000, "2000.0 GB"),
    ] as [(Int64, String)]
  ) func sizes(_ bytes: Int64, _ text: String) { #expect(SizeText.text(bytes) == text) }

  @Test(
    "spans of time are rounded, in one or two units",
    arguments: [
      (Int64(-5), "0 s"), (0, "0 s"), (300, "1 ms"), (250_000, "250 ms"), (999_700, "1 s"),
      (1_400_000, "1.4 s"),
      (9_940_000, "9.9 s"), (9_960_000, "10 s"), (59_000_000, "59 s"), (59_700_000, "1 min"),
      (60_000_000, "1 min"),
      (75_000_000, "75 s"),
      (119_400_000, "119 s"), (119_600_000, "2 min"), (150_000_000, "2 min 30 s"), (240_000_000, "4 min"),
      (599_400_000, "9 min 59 s"), (599_800_000, "10 min"), (650_000_000, "11 min"), (3_590_000_000, "1 h"),
      (3_600_000_000, "1 h"),
      (3_700_000_000, "62 min"), (7_190_000_000, "2 h"), (11_100_000_000, "3 h 5 min"),
      (86_400_000_000, "24 h"),
      (172_790_000_000, "2 d"), (187_200_000_000, "2 d 4 h"),
    ] as [(Int64, String)]
  ) func lengths(_ length: Int64, _ text: String) {
    #expect(LengthText.text(length) == text)
    #expect(LengthText.text(.microseconds(length)) == text)
  }

  @Test(
    "spans that a person chose are not rounded",
    arguments: [
      (0, "0 s"), (250, "250 µs"), (1_500_000, "1500 ms"), (2_000_000, "2 s"), (90_000_000, "90 s"),
      (300_000_000, "5 min"), (3_600_000_000, "1 h"), (2_592_000_000_000, "30 d"),
    ] as [(Int64, String)]
  ) func givenLengths(_ length: Int64, _ text: String) { #expect(LengthText.given(length) == text) }

  @Test("computed latencies and differences")
  func computedLatencies() {
    #expect(
      [0, 412.4, 41_000, .infinity, .nan, 1e300].map(LatencyText.rounded) == [
        "0 µs", "412 µs", "41.0 ms", "unknown", "unknown", "unknown",
      ])
    #expect([120_000, 0, -40_000].map(LatencyText.signed) == ["+120 ms", "0 µs", "-40.0 ms"])
  }

  @Test("decimals of numbers that are no fixed point")
  func decimals() {
    #expect(FixedPoint.text(-0.04, decimals: 1) == "0.0" && FixedPoint.text(14.35, decimals: 1) == "14.4")
    #expect(FixedPoint.text(1e17, decimals: 3) == "1e+17" && FixedPoint.text(.nan, decimals: 1) == "nan")
  }
}
