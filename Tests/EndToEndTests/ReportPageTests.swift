import Foundation
import TestKit
import TestTraits
import Testing

/// `pushscope report` of a real run, opened and printed by a real browser.
@Suite("The report in a browser", .ownThread, .serialized)
struct ReportPageTests {
  private static let hostile = "night <b>ly</b> & co"

  /// A report of a run with losses, in a folder of its own.
  private static func report(_ arguments: [String] = []) throws -> (installation: Installation, page: String)
  {
    let installation = try Installation(rate: "100/s", target: ["receipt_deadline: 500ms"])
    let service = try installation.startLoopback(
      scenario:
        "answers: { delay: 3ms }\ndeliveries: { delay: { distribution: lognormal, median: 30ms, sigma: 0.5 }, lost: 3% }\n"
    )
    let collector = try installation.collect(["--count", "400", "--run-name", hostile])
    #expect(try collector.waitForExit() == 0)
    try service.stop()
    let page = installation.directory.file("report.html")
    let written = try run(
      Programs.pushscope, ["report", "--store", installation.store, "--output", page] + arguments,
      environment: ["TZ": "Asia/Kolkata"])
    #expect(written.status == 0, "\(written.error)")
    return (installation, page)
  }

  @Test(
    "it reads at any width without scrolling sideways, loads nothing, and prints",
    .enabled(if: Browser.isUsable, "needs chromium-headless-shell and pdftotext (scripts/bootstrap test)"))
  func browser() throws {
    let (installation, page) = try Self.report()
    let browser = try Browser()
    for width in [320, 360, 800, 1280] {
      let (layout, complaints, requests) = try browser.layout(of: page, width: width)
      #expect(layout.window <= width)
      #expect(layout.content <= layout.window, "\(width) pixels")
      #expect(complaints == [])
      #expect(requests == [])
      #expect(layout.shapes < 3_000)
      #expect(layout.text.contains("night <b>ly</b> & co"))
      #expect(layout.text.contains("UTC+05:30"))
      #expect(layout.tip.contains(#/^no\. \d+, \d\d:\d\d:\d\d: /#), "\(layout.tip)")
    }
    let lost = try installation.states()["lost"] ?? 0
    let sheets = try browser.print(page)
    let text = sheets.joined(separator: "\n")
    #expect((2...8).contains(sheets.count), "\(sheets.count) sheets")
    #expect(sheets.allSatisfy { $0.contains { !$0.isWhitespace } }, "an empty sheet")
    for words in ["At a glance", "Latency over time", "\(lost) lost", "how these numbers were made", "p99"] {
      #expect(text.contains(words), "\(words)")
    }
  }

  @Test(
    "light and dark are two pictures of it",
    .enabled(if: Browser.isUsable, "needs chromium-headless-shell and pdftotext (scripts/bootstrap test)"))
  func dark() throws {
    let (installation, page) = try Self.report()
    defer { withExtendedLifetime(installation) {} }
    let browser = try Browser()
    let (light, dark) = (
      try browser.picture(of: page, width: 800, height: 600),
      try browser.picture(of: page, width: 800, height: 600, isDark: true)
    )
    #expect(light.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    #expect(light != dark)
  }

  @Test("it never replaces a store, and needs a place to go to")
  func outputs() throws {
    let (installation, page) = try Self.report(["--target", "loopback", "--since=-1h"])
    #expect(try String(contentsOfFile: page, encoding: .utf8).hasSuffix("</html>\n"))
    let over = try run(
      Programs.pushscope, ["report", "--store", installation.store, "--output", installation.store])
    #expect(over.status == 73)
    let nowhere = try run(Programs.pushscope, ["report", "--store", installation.store])
    #expect(nowhere.status == 64)
    #expect(nowhere.error.contains("--output"))
    let piped = try run(Programs.pushscope, ["report", "--store", installation.store, "--output", "-"])
    #expect(piped.output.hasPrefix("<!DOCTYPE html>"))
    let wrong = try run(
      Programs.pushscope, ["report", "--store", installation.store, "--output", "-", "--target", "nobody"])
    #expect(wrong.status != 0)
    #expect(wrong.error.contains("nobody"))
  }
}
