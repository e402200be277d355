import Measurement
import TestKit
import Testing

@Suite("Characters take columns")
struct CharacterWidthTests {
  @Test(
    "examples",
    arguments: [
      ("a", 1), ("é", 1), ("日", 2), ("한", 2), ("Ａ", 2), ("ｱ", 1), ("🚀", 2), ("─", 1), ("⣿", 1), ("█", 1),
      ("\u{301}", 0),
      ("\u{200B}", 0), ("\u{1CD00}", 1), ("\u{1FB00}", 1), ("⌚", 2), ("✓", 1), ("\u{3000}", 2), ("\u{7}", 0),
    ] as [(Unicode.Scalar, Int)])
  func examples(scalar: Unicode.Scalar, columns: Int) {
    #expect(CharacterWidth.columns(of: scalar) == columns)
  }

  @Test(
    "every scalar, as Python's wcwidth has it",
    .enabled(if: PythonWidths.isExpected, "python3 with wcwidth is not installed"))
  func allOfUnicode() throws {
    let expected = try #require(PythonWidths.all)
    var different: [String] = []
    for (value, width) in expected.enumerated() {
      guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
      if CharacterWidth.columns(of: scalar) != width { different.append(String(value, radix: 16)) }
    }
    #expect(different.isEmpty)
  }
}

/// The widths of the Python package wcwidth, where it is installed with tables as new as ours.
enum PythonWidths {
  /// Skipped where it is missing, but not in continuous integration.
  static let isExpected = all != nil || Programs.isContinuousIntegration

  static let all: [Int]? = {
    let program = """
      import sys, wcwidth
      if wcwidth.list_versions()[-1] != "17.0.0": sys.exit(1)
      w = lambda c: 0 if 0xD800 <= c <= 0xDFFF else max(0, wcwidth.wcwidth(chr(c)))
      sys.stdout.write("".join(str(w(c)) for c in range(0x110000)))
      """
    guard let output = try? Python.run(program), output.utf8.count == 0x110000 else { return nil }
    return output.utf8.map { Int($0) - 0x30 }
  }()
}
