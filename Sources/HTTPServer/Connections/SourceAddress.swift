/// Tells peers apart by their addresses.
public enum SourceAddress {
  /// What counts as one source: an IPv4 address, also where IPv6 carries it (`::ffff:192.0.2.1`), or an IPv6 /64, since
  /// a host owns one at least and could come from another address each time.
  ///
  /// - Parameter address: as ``HTTPConnection/source`` has it.
  public static func group(_ address: String) -> String {
    guard address.contains(":") else { return address }
    let text = address.prefix { $0 != "%" }
    if text.contains("."), let last = text.split(separator: ":").last { return String(last) }
    let gap = text.firstRange(of: "::")
    let head = (gap.map { text[..<$0.lowerBound] } ?? text).split(separator: ":")
    let tail = (gap.map { text[$0.upperBound...] } ?? "").split(separator: ":")
    let zeros = gap == nil ? 0 : max(0, 8 - head.count - tail.count)
    let groups = head + Array(repeating: "0", count: zeros) + tail
    return groups.prefix(4).joined(separator: ":")
  }
}
