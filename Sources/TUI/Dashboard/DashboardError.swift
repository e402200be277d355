/// Why the dashboard cannot be shown, and what to do.
public struct DashboardError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    /// `--theme` names none that exists.
    case unknownTheme
    /// `PUSHSCOPE_MOTION` is none of its values.
    case unknownMotion
    /// The run or the target asked for is not in the store.
    case notFound
    /// The store cannot be read, and there is nobody to wait for it to get better.
    case unreadableStore
    /// There is no terminal that could be drawn on.
    case terminal
    /// The system refused a thread or a descriptor.
    case system
  }

  public let code: Code
  /// What is wrong and where.
  public let message: String
  /// What to do.
  public let remedy: String

  public init(code: Code, message: String, remedy: String) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  public var description: String { "\(message); \(remedy)" }

  static func unknownTheme(_ name: String) -> DashboardError {
    let names = Theme.all.map(\.name).joined(separator: ", ")
    return DashboardError(
      code: .unknownTheme, message: "there is no theme '\(name)'",
      remedy: "choose one of \(names), one of your own in themes/ beside the configuration, or name its file")
  }

  static func unknownMotion(_ value: String) -> DashboardError {
    DashboardError(
      code: .unknownMotion, message: "PUSHSCOPE_MOTION is '\(value)'", remedy: "set it to none, basic or full"
    )
  }
}
