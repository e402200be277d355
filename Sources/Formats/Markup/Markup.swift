import Measurement

/// A piece of HTML. Literals are markup; interpolated texts are escaped, so text from outside stays text:
///
///     let cell: Markup = "<td title=\"\(reason)\">\(name)</td>"
///
/// Attribute values must be quoted.
public struct Markup: Sendable, Hashable, ExpressibleByStringInterpolation {
  /// The source of the piece.
  public private(set) var html: String

  public init(stringLiteral literal: StaticString) { html = literal.description }

  public init(stringInterpolation interpolation: StringInterpolation) { html = interpolation.html }

  public init() { html = "" }

  public static func += (left: inout Markup, right: Markup) { left.html += right.html }

  public static func + (left: Markup, right: Markup) -> Markup {
    var sum = left
    sum += right
    return sum
  }

  /// Literals as they stand, everything else escaped.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var html: String

    public init(literalCapacity: Int, interpolationCount: Int) {
      html = ""
      html.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    /// Adds markup written in the source.
    public mutating func appendLiteral(_ literal: StaticString) { html += literal.description }

    /// Escapes the text.
    public mutating func appendInterpolation(_ text: String) { html += MarkupText.escaped(text) }

    /// Adds a number.
    public mutating func appendInterpolation(_ number: Int) { html += String(number) }

    /// A number with at most two decimals.
    public mutating func appendInterpolation(_ number: Double) { html += MarkupNumber.text(number) }

    /// Adds markup as it is.
    public mutating func appendInterpolation(_ piece: Markup) { html += piece.html }

    /// Adds markup as it is, piece by piece.
    public mutating func appendInterpolation(_ pieces: [Markup]) {
      for piece in pieces { html += piece.html }
    }
  }
}

/// Text as it stands in HTML, SVG and XML, between tags and in quoted attributes.
public enum MarkupText {
  /// Escapes markup (XML 1.0, 2.2 and 2.4), and before that what is harmful in any output.
  public static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in EscapedText.make(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

/// Numbers in SVG's paths and in style attributes.
public enum MarkupNumber {
  /// The value with at most two decimals, without trailing zeros; 0 for what is not finite.
  public static func text(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e12 else { return "0" }
    let hundredths = Int((value * 100).rounded())
    let (whole, rest) = (hundredths / 100, abs(hundredths % 100))
    if rest == 0 { return "\(whole)" }
    let sign = hundredths < 0 && whole == 0 ? "-" : ""
    return "\(sign)\(whole)." + (rest % 10 == 0 ? "\(rest / 10)" : rest < 10 ? "0\(rest)" : "\(rest)")
  }
}
