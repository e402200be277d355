import Configuration
import Glibc
import Logging
import Measurement
import Store

/// The options of `pushscope collect`, which complete the configuration.
public struct CollectorOptions: Sendable {
  public var storePath: String
  public var runName: String?
  /// The names of the targets to send to; empty for all.
  public var targetNames: [String]
  /// Replaces the rate of each selected target's schedule.
  public var rate: ArrivalRate?
  /// Notifications to plan, per target; `nil` for no limit.
  public var count: Int64?
  /// How long to plan, per target; `nil` for no limit.
  public var duration: Duration?
  /// Whether a run ends by itself.
  var isLimited: Bool { count != nil || duration != nil }
  /// Whether to send faster than a provider's documentation allows.
  public var allowsAboveProviderLimit: Bool
  /// How long a run waits for access tokens and subscriptions before it begins to send.
  public var startTimeout: Duration
  /// How long a stop waits for what is under way.
  public var drain: Duration

  public init(
    storePath: String, runName: String? = nil, targetNames: [String] = [], rate: ArrivalRate? = nil,
    count: Int64? = nil, duration: Duration? = nil, allowsAboveProviderLimit: Bool = false,
    startTimeout: Duration = .seconds(30), drain: Duration = .seconds(60)
  ) {
    self.storePath = storePath
    self.runName = runName
    self.targetNames = targetNames
    self.rate = rate
    self.count = count
    self.duration = duration
    self.allowsAboveProviderLimit = allowsAboveProviderLimit
    self.startTimeout = startTimeout
    self.drain = drain
  }
}

/// What all of a collector works with.
struct CollectorEnvironment: Sendable {
  var options: CollectorOptions
  let clock: any HostClock
  let logger: Logger
  /// Told how the collector is.
  var manager: ServiceManager?
  /// Told what is recorded.
  var observer: (any CollectionObserver)?
  /// The devices that joined; `nil` where none can.
  var devices: DeviceRegistry?

  /// Whether devices may join a run while it is recorded.
  var mayBeJoined: Bool { devices != nil && !options.isLimited }
}

/// Why a run could not begin, and what to do.
public struct CollectorError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong with them.
  public enum Code: Sendable, Equatable {
    /// `--target` names a target that the configuration does not have.
    case unknownTarget
    /// The configuration has no devices, or no place where they could join.
    case noDevices
    /// A credential cannot be made, or its issuer refuses it.
    case credentials
    /// A token endpoint or a subscription cannot be reached.
    case unreachable
    /// A service refuses a subscription.
    case refused
    /// A target's schedule exceeds a limit that its provider documents.
    case providerLimit
  }

  public var code: Code
  public var description: String

  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

/// This host's name.
public enum HostName {
  /// The host name, at most 64 bytes (gethostname(2)); `localhost` when the kernel does not say.
  public static func current() -> String {
    var name = [CChar](repeating: 0, count: 65)
    guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
