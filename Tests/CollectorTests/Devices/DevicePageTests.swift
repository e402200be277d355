import Foundation
import TestKit
import TestTraits
import Testing

/// The page and the service worker of a measured device, without a browser.
@Suite("The page of a measured device", .ownThread)
struct DevicePageTests {
  private static let directory = Programs.repository + "/Sources/Collector/Devices/Page"
  private static let files = ["device.html", "device.css", "device.js", "worker.js", "icon.png"]

  private static func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)
  }

  @Test("its files have at most 40 kB together")
  func isSmall() throws {
    let size = try Self.files.reduce(0) { sum, name in
      try sum + Data(contentsOf: URL(fileURLWithPath: "\(Self.directory)/\(name)")).count
    }
    #expect(size <= 40_000)
  }

  @Test(
    "it has one placeholder, nothing inline and nothing from elsewhere, as its Content-Security-Policy demands"
  )
  func isAllowed() throws {
    let page = try Self.text("device.html")
    #expect(page.components(separatedBy: "APPLICATION_SERVER_KEY").count == 2)
    #expect(!page.contains("style=") && !page.contains("<style") && !page.contains(/\son\w+=/))
    #expect(
      page.components(separatedBy: "<script").count == 2 && page.contains(#"<script src="/device/device.js""#)
    )
    for name in ["device.html", "device.css", "device.js", "worker.js"] {
      let text = try Self.text(name).replacing("http://localhost", with: "")
      #expect(!text.contains("://"), "\(name)")
      #expect(!text.contains("innerHTML") && !text.contains("console."), "\(name)")
    }
  }

  @Test("each element that its script uses is in the page")
  func hasElements() throws {
    let page = try Self.text("device.html")
    let used = try Self.text("device.js").matches(of: /(?:element|say)\("([\w-]+)"/).map {
      String($0.output.1)
    }
    #expect(used.count > 20)
    for id in Set(used) { #expect(page.contains(#"id="\#(id)""#), "\(id)") }
  }

  @Test(
    "its scripts are JavaScript", .enabled(if: Programs.has("node")), arguments: ["device.js", "worker.js"])
  func isWellFormed(name: String) throws {
    let result = try Programs.run("node", ["--check", "\(Self.directory)/\(name)"])
    #expect(result.status == 0, "\(result.error)")
  }

  /// Tests/Support/device_worker.js has the cases.
  @Test(
    "the worker reports what was received and shown, when clocks, displays, networks and the collector fail",
    .enabled(if: Programs.has("node")), .timeLimit(.minutes(5)))
  func worker() throws {
    let result = try Programs.run(
      "node", [Programs.scripts + "/device_worker.js", Self.directory + "/worker.js"])
    #expect(result.status == 0, "\(result.output)\(result.error)")
    #expect(result.output.components(separatedBy: "ok: ").count > 20)
  }
}
