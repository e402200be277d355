import FoundationEssentials

/// The environment this process was started with.
enum ProcessEnvironment {
  static var all: [String: String] { ProcessInfo.processInfo.environment }
}
