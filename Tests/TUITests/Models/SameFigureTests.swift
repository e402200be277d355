import Findings
import Formats
import Measurement
import Store
import Terminal
import Testing

@testable import Analysis
@testable import Report
@testable import TUI

/// One figure on several surfaces: it reads the same on each.
@Suite struct SameFigureTests {
  @Test func aFindingOfAShare() throws {
    var record = try #require(TablePanelTests.findings().first { $0.kind.word == .losing })
    (record.shareBefore, record.shareAfter, record.shareLow, record.shareHigh) = (0.004, 0.03, 0.01, 0.12)
    let incident = try #require(FindingIncident.group([record]).first)
    let repetition = try #require(FindingRepetition.fold([incident]).first)
    let time = ReportTime(.utc, start: SampleRun.start, end: record.seenUntil)
    let appearance = Appearance(theme: .dark, colors: .trueColor, glyphs: .braille)
    let details = FindingFields(record, clock: Report.FindingWords.clock).rows.map(\.value)
    let figures = [
      "change": FindingText(record).change, "evidence": Analysis.FindingWords.effect(record),
      "details": details.joined(separator: "\n"),
      "sheet": TUI.FindingDetails(
        incident: incident, repetition: repetition, appearance: appearance, zone: .utc
      ).text,
    ]
    for (name, text) in figures { #expect(text.contains("0.40 % → 3.0 %"), "\(name): \(text)") }
    let sentences = [
      "list": FindingsReport([record]).lines().joined(separator: "\n"),
      "report": FindingArticle(repetition, time, isLong: false, ends: .none).markup.html
        .replacing("\u{A0}", with: " "),
    ]
    for (name, text) in sentences { #expect(text.contains("3.0 %"), "\(name): \(text)") }
  }

  @Test func aQuantileWithItsInterval() {
    let interval = QuantileInterval(
      independent: .known(value: 812_400, low: 780_200, high: 839_900), value: 812_400, count: 4_711)
    let figure = QuantileFigure.known(interval)
    let report = FigureText.quantile(interval.value, low: interval.low, high: interval.high)
    #expect(
      report == "812 ms (780 to 840)" && figure.text() == "812 ms" && figure.interval == "780 to 840 ms")
    #expect(figure.effective == "n 4711 of 4711")
    let many = QuantileFigure.tooFew(needs: Quantile.p9999.smallestCount)
    #expect(many.text() == FigureText.estimate(.tooFew(needs: Quantile.p9999.smallestCount)))
  }

  @Test func aShareWithItsInterval() {
    let interval = ShareInterval(independent: 5, of: 1_000)
    let threshold = ThresholdFigures(value: 250_000, over: interval)
    #expect(threshold.share == "0.50 %" && threshold.interval == "0.16 to 1.2 %")
    #expect(FigureText.share(interval) == "0.50 % (0.16 to 1.2)")
  }
}
