/// Numbers as a row of small bars.
enum Sparkline {
  /// The last values, as high as the highest of them allows; two make one bar.
  static func text(_ values: [Int], _ glyphs: GlyphSet) -> String {
    let pairs = stride(from: values.count % 2, to: values.count - 1, by: 2).map {
      values[$0] + values[$0 + 1]
    }
    let highest = max(1, pairs.max() ?? 1)
    var text = ""
    for value in pairs {
      let level = value == 0 ? 0 : max(glyphs.smallestBar, value * 8 / highest)
      if let scalar = Unicode.Scalar(glyphs.bars[level]) { text.unicodeScalars.append(scalar) }
    }
    return text
  }
}
