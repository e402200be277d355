/// HTTP statuses that count as accepted, like `200-299` or `200,202-204`.
public struct StatusRanges: Sendable, Hashable, CustomStringConvertible {
  public var ranges: [ClosedRange<Int>]

  public init(_ ranges: [ClosedRange<Int>]) { self.ranges = ranges }

  /// All of 2xx.
  public static let successful = StatusRanges([200...299])

  public func contains(_ status: Int) -> Bool { ranges.contains { $0.contains(status) } }

  /// Reads statuses and ranges of them, divided by commas; each from 200 to 599.
  public static func parse(_ text: String) throws(ValueTextError) -> StatusRanges {
    var ranges: [ClosedRange<Int>] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let bounds = part.split(separator: "-", omittingEmptySubsequences: false).map { status($0) }
      guard (1...2).contains(bounds.count), let low = bounds[0], let high = bounds[bounds.count - 1],
        low <= high
      else {
        throw ValueTextError(
          text, "is not a set of HTTP statuses",
          remedy: "write statuses from 200 to 599, like 200-299 or 200,202")
      }
      ranges.append(low...high)
    }
    return StatusRanges(ranges)
  }

  public var description: String {
    ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: ",")
  }

  private static func status(_ text: Substring) -> Int? {
    let trimmed = text.drop { $0 == " " }
    let digits = trimmed.prefix { $0 != " " }
    guard digits.utf8.count == 3, trimmed.dropFirst(3).allSatisfy({ $0 == " " }), let status = Int(digits),
      (200...599).contains(status)
    else { return nil }
    return status
  }
}
