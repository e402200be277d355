import Foundation
import TestKit
import Testing

/// Chromium without a window: a reader of HTML that is not ours.
struct Browser {
  /// `scripts/bootstrap` installs the first of these where there is none.
  private static let names = ["chromium-headless-shell", "chromium", "google-chrome-stable", "google-chrome"]
  private static let path = names.lazy.compactMap { Programs.find($0) }.first

  /// Continuous integration never skips: there the tests run and fail.
  static let isUsable = Programs.isContinuousIntegration || path != nil && Programs.find("pdftotext") != nil

  /// Its profile and what it writes.
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// What a page is at some width.
  struct Layout: Decodable {
    /// Width of the page's content and of the window, in CSS pixels.
    let content: Int
    let window: Int
    let heading: String
    let text: String
    /// Elements of drawings.
    let shapes: Int
    /// What appears when the pointer is over the first dot.
    let tip: String
  }

  /// Opens a page, and says what the browser complained about and asked others for.
  /// - Parameter width: CSS pixels.
  func layout(of page: String, width: Int) throws -> (
    layout: Layout, complaints: [String], requests: [String]
  ) {
    // Windows have a least width, frames have none.
    let frame = try directory.write(
      "frame.html",
      """
      <!DOCTYPE html><meta charset="utf-8"><iframe id="frame" style="width: \(width)px; height: 900px; border: 0"></iframe>
      <pre id="result"></pre>
      <script>
      frame.onload = () => {
        const page = frame.contentDocument, root = page.documentElement;
        const layout = {
          content: root.scrollWidth, window: root.clientWidth, heading: page.querySelector("h1").innerText,
          text: page.body.innerText, shapes: page.querySelectorAll("svg *").length, tip: ""
        };
        const dot = page.querySelector(".named path");
        if (dot) {
          const box = dot.getBoundingClientRect();
          const place = { bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
          dot.dispatchEvent(new frame.contentWindow.PointerEvent("pointermove", place));
          layout.tip = page.querySelector("#tip")?.textContent ?? "";
        }
        result.textContent = encodeURIComponent(JSON.stringify(layout));
      };
      frame.src = "file://\(page)";
      </script>
      """)
    let log = directory.file("net.json")
    let ended = try start([
      "--allow-file-access-from-files", "--log-net-log=\(log)", "--virtual-time-budget=5000", "--dump-dom",
      "file://\(frame)",
    ])
    let result = ended.output.firstMatch(of: /<pre id="result">([^<]*)<\/pre>/)?.1
    let text = try #require(
      result?.removingPercentEncodingOrNil, "\(ended.output.prefix(500)) \(ended.error)")
    let complaints = ended.error.split(separator: "\n").map(String.init).filter { $0.contains("CONSOLE") }
    let network = try String(contentsOfFile: log, encoding: .utf8)
    let requests = network.matches(of: /"url":"((?:https?|wss?|ftp):[^"]*)"/).map { String($0.1) }
    return (try JSONDecoder().decode(Layout.self, from: Data(text.utf8)), complaints, requests)
  }

  /// Opens a page of a server.
  /// - Returns: its document, and what the browser complained about.
  func content(of url: String, width: Int) throws -> (text: String, complaints: [String]) {
    let ended = try start([
      "--window-size=\(width),640", "--virtual-time-budget=5000", "--dump-dom", url,
    ])
    let complaints = ended.error.split(separator: "\n").map(String.init).filter { $0.contains("CONSOLE") }
    return (ended.output, complaints)
  }

  /// Prints a page as PDF.
  /// - Returns: the text of each sheet.
  func print(_ page: String) throws -> [String] {
    let file = directory.file("print.pdf")
    try start(["--no-pdf-header-footer", "--print-to-pdf=\(file)", "file://\(page)"])
    let text = try run("pdftotext", ["-layout", file, "-"])
    guard text.status == 0 else { throw NeverHappened(what: "pdftotext reads the PDF", seen: text.error) }
    return text.output.split(separator: "\u{0C}").map(String.init)
  }

  /// Takes a picture of a page.
  func picture(of page: String, width: Int, height: Int, isDark: Bool = false) throws -> Data {
    let file = directory.file("picture.png")
    try start(
      ["--window-size=\(width),\(height)", "--hide-scrollbars", "--screenshot=\(file)"]
        + (isDark ? ["--blink-settings=preferredColorScheme=0"] : []) + ["file://\(page)"])
    return try Data(contentsOf: URL(fileURLWithPath: file))
  }

  @discardableResult
  private func start(_ arguments: [String]) throws -> (status: Int32, output: String, error: String) {
    guard let path = Self.path else { throw NeverHappened(what: "a browser is installed", seen: "") }
    let ended = try run(
      path,
      [
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--no-first-run", "--enable-logging=stderr", "--user-data-dir=\(directory.file("profile"))",
      ] + arguments)
    guard ended.status == 0 else { throw NeverHappened(what: "\(path) ends well", seen: ended.error) }
    return ended
  }
}

extension Substring {
  fileprivate var removingPercentEncodingOrNil: String? {
    isEmpty ? nil : String(self).removingPercentEncoding
  }
}
