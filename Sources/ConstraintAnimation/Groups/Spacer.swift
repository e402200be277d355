/// A child that only takes room.
public final class Spacer: View {
  public init(percentageSize: Double? = nil, explicitSize: Double? = nil) {
    super.init()
    self.percentageSize = percentageSize
    self.explicitSize = explicitSize
    isUserInteractionEnabled = false
  }

  override var defaultName: String { "spacer" }
}
