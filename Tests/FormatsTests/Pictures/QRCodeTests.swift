import Foundation
import TestKit
import Testing

@testable import Formats

/// QR codes are read back by zbarimg from what a terminal shows.
@Suite(
  "QR codes", .enabled(if: Programs.has("zbarimg"), "skipped: zbarimg is missing (scripts/bootstrap test)"))
struct QRCodeTests {
  private static let url = "https://push.example.com:8443/device#k3J9vQm2xT5bW8nR1sYp0A"

  /// What zbarimg reads in a picture whose pixels are `true` where they are light.
  private func read(_ pixels: [[Bool]]) throws -> String {
    let scale = 6
    let width = (pixels.first?.count ?? 0) * scale
    var image = Data("P5\n\(width) \(pixels.count * scale)\n255\n".utf8)
    for row in pixels {
      let line = row.flatMap { Array(repeating: UInt8($0 ? 255 : 0), count: scale) }
      for _ in 0..<scale { image.append(contentsOf: line) }
    }
    let directory = try TemporaryDirectory()
    let file = directory.file("code.pgm")
    try image.write(to: URL(fileURLWithPath: file))
    let result = try Programs.run("zbarimg", ["--quiet", "--raw", file])
    return result.output.trimmingCharacters(in: .newlines)
  }

  @Test("half blocks") func halfBlocks() throws {
    let code = try #require(QRCode(Self.url))
    let lines = code.halfBlocks.map(Array.init)
    #expect(lines.allSatisfy { $0.count == code.columns })
    let pixels = lines.flatMap { line in
      [line.map { $0 == "█" || $0 == "▀" }, line.map { $0 == "█" || $0 == "▄" }]
    }
    #expect(try read(pixels) == Self.url)
  }

  @Test("letters of ASCII") func ascii() throws {
    let code = try #require(QRCode(Self.url))
    let pixels = code.ascii.map { line in
      stride(from: 0, to: line.count, by: 2).map { Array(line)[$0] == "#" }
    }
    #expect(try read(pixels) == Self.url)
  }

  @Test("a text that is too long has none") func tooLong() {
    #expect(QRCode(String(repeating: "x", count: 10_000)) == nil)
  }
}
