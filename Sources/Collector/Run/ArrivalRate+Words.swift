import Measurement

extension ArrivalRate {
  /// For people: `4/s`, or `one each 15 s` for slow ones.
  var words: String {
    perSecond >= 1 ? "\(Self.short(perSecond))/s" : "one each \(Self.short(1 / perSecond)) s"
  }

  /// Up to three decimals.
  private static func short(_ number: Double) -> String {
    let rounded = (number * 1000).rounded() / 1000
    return Int64(exactly: rounded).map(String.init) ?? String(rounded)
  }
}
