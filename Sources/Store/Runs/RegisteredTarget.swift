import Measurement

/// A target with its number in this run.
public struct RegisteredTarget: Sendable, Equatable {
  public var id: TargetID
  public var name: String
  /// One for each of ``TargetDescription/variants``, in their order.
  public var variants: [VariantID]

  public init(id: TargetID, name: String, variants: [VariantID] = []) {
    self.id = id
    self.name = name
    self.variants = variants
  }
}
