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
