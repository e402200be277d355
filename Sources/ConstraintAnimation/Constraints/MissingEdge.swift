/// No active constraint ties this edge to the host.
public struct MissingEdge: Error, Sendable, Equatable {
  public let attribute: LayoutAttribute
}
