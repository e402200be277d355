import Formats
import Testing

@Suite struct MarkupTests {
  @Test func interpolatedTextsAreEscapedAndPiecesAreNot() {
    let hostile = "<script>alert('1')</script> & \"x\" \u{202E}\u{1B}[31m\n"
    let piece: Markup = "<b title=\"\(hostile)\">\(hostile)</b>"
    let escaped =
      "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;x&quot; \\u{202E}\u{241B}[31m\u{240A}"
    #expect(piece.html == "<b title=\"\(escaped)\">\(escaped)</b>")
    #expect(("<p>\(piece)\([piece, piece])</p>" as Markup).html.count { $0 == "b" } == 3 * 2)
    #expect(("\(4) \(0.125) \(-0.5) \(Double.nan)" as Markup).html == "4 0.13 -0.5 0")
  }

  @Test(arguments: [(0.0, "0"), (1.5, "1.5"), (2.05, "2.05"), (-0.004, "0"), (-0.25, "-0.25"), (1e15, "0")])
  func numbersOfPathsAreShort(_ value: Double, _ text: String) {
    #expect(MarkupNumber.text(value) == text)
  }
}

@Suite struct ChartTests {
  private func chart(_ layers: [Chart.Layer]) -> String {
    Chart(
      label: "a <label>", description: "d & d", height: 10,
      xTicks: [.init(0, "00:00"), .init(0.5, "00:30"), .init(1, "01:00")],
      yTicks: [.init(0.25, "1 ms")], layers: layers
    ).markup.html
  }

  @Test func shapesHaveTheirPlaces() {
    let html = chart([
      .init("a", .lines([[.init(x: 0, y: 0), .init(x: 0.5, y: 1)], [.init(x: 1, y: 0.5)]])),
      .init(
        "b",
        .areas([
          (lower: [.init(x: 0, y: 0), .init(x: 1, y: 0)], upper: [.init(x: 0, y: 1), .init(x: 1, y: 1)])
        ])),
      .init("c", .boxes([.init(x: 0.1...0.2, y: 0...0.5)])), .init("d", .dots([.init(x: 0.25, y: 0.75)])),
      .init("e", .verticals([0.125])),
    ])
    #expect(html.contains("<path class=\"a\" d=\"M0 1000L500 0M1000 500\"/>"))
    #expect(html.contains("<path class=\"b\" d=\"M0 1000L1000 1000L1000 0L0 0z\"/>"))
    #expect(html.contains("<path class=\"c\" d=\"M100 500h100v500h-100z\"/>"))
    #expect(html.contains("<path class=\"d\" d=\"M250 250h0\"/>"))
    #expect(html.contains("<path class=\"e\" d=\"M125 0v1000\"/>"))
    #expect(html.contains("<path class=\"grid\" d=\"M0 750h1000M0 0v1000M500 0v1000M1000 0v1000\"/>"))
  }

  @Test func labelsAreTextOutsideOfTheDrawing() {
    let html = chart([])
    #expect(html.contains("aria-label=\"a &lt;label&gt;\""))
    #expect(html.contains("<desc>d &amp; d</desc>"))
    #expect(html.contains("<span class=\"tick first\" style=\"left:0%\">00:00</span>"))
    #expect(html.contains("<span class=\"tick\" style=\"left:50%\">00:30</span>"))
    #expect(html.contains("<span class=\"tick last\" style=\"left:100%\">01:00</span>"))
    #expect(html.contains("<span class=\"tick\" style=\"bottom:25%\">1 ms</span>"))
  }

  @Test func labelsBesideOneAnotherDoNotTouch() {
    var chart = Chart(
      label: "", description: "", height: 10,
      xTicks: [
        .init(0, "80 ms"), .init(0.02, "85 ms"), .init(0.12, "90 ms"), .init(0.5, "95 ms"),
        .init(1, "100 ms"),
      ], yTicks: [], layers: [])
    chart.topTicks = [.init(0.7, "p90"), .init(0.71, "p99")]
    let html = chart.markup.html
    #expect(html.contains("<span class=\"tick first\" style=\"left:0%\">80 ms</span>"))
    #expect(!html.contains("85 ms") && !html.contains("p99"), "there is no room on any page")
    #expect(html.contains("<span class=\"tick minor\" style=\"left:12%\">90 ms</span>"), "on a phone")
    #expect(html.contains("<span class=\"tick\" style=\"left:50%\">95 ms</span>"))
    #expect(html.contains("<span class=\"tick\" style=\"left:70%\">p90</span>"))
  }

  @Test func labelsDoNotReachOverThePage() {
    let chart = Chart(
      label: "", description: "", height: 10,
      xTicks: [.init(0.5, "14:05:01.5"), .init(0.95, "14:05:03.5")], yTicks: [], layers: [])
    let html = chart.markup.html
    #expect(html.contains("<span class=\"tick\" style=\"left:50%\">14:05:01.5</span>"))
    // Half of it is 32 pixels of a phone, on which the plot and the margin leave 27.
    #expect(html.contains("<span class=\"tick minor\" style=\"left:95%\">14:05:03.5</span>"))
  }

  @Test func namesOfDotsAreEscaped() {
    let html = chart([.init("dot", .namedDots([.init(.init(x: 0, y: 0), name: "</title><script>")]))])
    #expect(html.contains("<title>&lt;/title&gt;&lt;script&gt;</title>"))
    #expect(!html.contains("<script"))
  }
}
