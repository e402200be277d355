import Measurement
import Testing

@testable import Report

@Suite struct FigureTextTests {
  @Test(arguments: [
    (Int64(0), "0 µs"), (850, "850 µs"), (999, "999 µs"), (1000, "1.00 ms"), (1234, "1.23 ms"),
    (9994, "9.99 ms"),
    (9995, "10.0 ms"), (12_345, "12.3 ms"), (99_949, "99.9 ms"), (99_950, "100 ms"), (999_499, "999 ms"),
    (999_500, "1.00 s"), (12_300_000, "12.3 s"), (3_600_000_000, "3600 s"), (-1234, "-1.23 ms"),
    (-5, "-5 µs"),
  ]) func latenciesHaveThreeDigits(_ value: Int64, _ text: String) {
    #expect(FigureText.latency(value) == text)
  }

  @Test func anIntervalSaysItsUnitOnceWhereItCan() {
    #expect(FigureText.latency(1230, from: 1100, to: 1420) == "1.23 ms (1.10–1.42)")
    #expect(FigureText.latency(1230, from: 900, to: 1420) == "1.23 ms (900 µs–1.42 ms)")
  }

  @Test(arguments: [
    (4.0, "4/s"), (3.98, "3.98/s"), (0.5, "0.5/s"), (1.0 / 15.0, "0.0667/s"), (1000.0, "1000/s"),
    (0.0, "0/s"), (10.0, "10/s"), (100.004, "100/s"),
  ]) func ratesHaveNoEmptyDigits(_ value: Double, _ text: String) {
    #expect(FigureText.rate(value) == text)
  }

  @Test(arguments: [
    (0, 10, "0 %"), (10, 10, "100 %"), (1, 3, "33.3 %"), (9999, 10_000, "99.9 %"), (1, 1_000_000, "0.1 %"),
    (0, 0, "–"),
  ]) func onlyAllIsAHundredPercent(_ part: Int, _ whole: Int, _ text: String) {
    #expect(FigureText.percent(part, of: whole) == text)
  }
}

@Suite struct LengthTextTests {
  @Test(arguments: [
    (Int64(0), "0 s"), (300, "1 ms"), (250_000, "250 ms"), (999_700, "1 s"), (1_400_000, "1 s"),
    (75_000_000, "75 s"), (119_400_000, "119 s"), (119_600_000, "2 min"), (150_000_000, "2 min 30 s"),
    (160_000_000, "2 min 40 s"), (240_000_000, "4 min"), (599_400_000, "9 min 59 s"),
    (599_800_000, "10 min"), (650_000_000, "11 min"), (7_190_000_000, "2 h"), (11_100_000_000, "3 h 5 min"),
    (172_790_000_000, "2 days"), (187_200_000_000, "2 days 4 h"), (86_400_000_000, "24 h"),
  ]) func lengthsAreRounded(_ length: Int64, _ text: String) {
    #expect(LengthText.text(length) == text)
  }
}
