extension LayoutConstraint: CustomStringConvertible {
  /// `page.leading == host.leading + 80 @750`, with the identifier in front when there is one.
  public var description: String {
    var text = identifier.map { "\($0): " } ?? ""
    text += "\(firstItem?.name ?? "gone").\(firstAttribute) \(relation.symbol) "
    if let secondAttribute {
      if multiplier != 1 { text += "\(multiplier) × " }
      text += "\(secondItem?.name ?? "gone").\(secondAttribute)"
      if constant != 0 { text += constant < 0 ? " - \(-constant)" : " + \(constant)" }
    } else {
      text += "\(constant)"
    }
    if storedPriority != .required { text += " @\(storedPriority.rawValue)" }
    return text
  }
}
