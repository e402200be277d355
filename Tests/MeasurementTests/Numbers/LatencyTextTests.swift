import Measurement
import Testing

@Suite("Numbers for people")
struct LatencyTextTests {
  @Test(
    "three digits and a unit",
    arguments: [
      (0, "0 µs"), (7, "7 µs"), (840, "840 µs"), (999, "999 µs"), (1_000, "1.00 ms"), (3_524, "3.52 ms"),
      (9_994, "9.99 ms"), (9_996, "10.0 ms"), (35_250, "35.3 ms"), (99_960, "100 ms"), (812_400, "812 ms"),
      (999_499, "999 ms"), (999_500, "1.00 s"), (1_204_000, "1.20 s"), (61_204_000, "61.2 s"),
      (1_204_000_000, "1204 s"), (-1_500, "-1.50 ms"),
    ] as [(Int64, String)])
  func text(_ value: Int64, _ expected: String) {
    #expect(LatencyText.text(value) == expected)
  }

  @Test("both ends of an interval in the unit and with the decimals of the larger one")
  func interval() {
    #expect(LatencyText.interval(812_000, 2_612_000) == "0.81 to 2.61 s")
    #expect(LatencyText.interval(780, 840) == "780 to 840 µs")
    #expect(LatencyText.interval(-38_050, 8_740) == "-38.1 to 8.7 ms")
    #expect(LatencyText.interval(-79_200, 31_400) == "-79.2 to 31.4 ms")
    #expect(LatencyText.interval(-2_000_000, 31_400) == "-2.00 to 0.03 s")
    #expect(LatencyText.interval(-840, -12) == "-840 to -12 µs")
    #expect(LatencyText.interval(.min, .max).hasSuffix(" s"))
  }

  @Test("extremes neither overflow nor lose their sign")
  func extremes() {
    #expect(FixedPoint.text(.max, scale: 1_000_000, decimals: 6) == "9223372036854.775807")
    #expect(FixedPoint.text(.min, scale: 1_000_000, decimals: 2) == "-9223372036854.78")
    #expect(FixedPoint.text(-4, scale: 1_000, decimals: 1) == "0.0")
    #expect(FixedPoint.text(9_996, scale: 1_000, decimals: 2) == "10.00")
    #expect(CountText.grouped(4_711) == "4711")
    #expect(CountText.grouped(1_234_567) == "1 234 567")
    #expect(CountText.grouped(-12_345) == "-12 345")
  }

  @Test("numbers keep their units, and nothing else changes")
  func unbroken() {
    #expect(
      UnbrokenText.make("lost 1 % → 25.5 %, 2 hosts in 3 s (4 min)")
        == "lost 1\u{A0}% → 25.5\u{A0}%, 2 hosts in 3\u{A0}s (4\u{A0}min)")
    for text in ["", " ", "  a  b ", "s %", "12 samples"] { #expect(UnbrokenText.make(text) == text) }
  }
}
