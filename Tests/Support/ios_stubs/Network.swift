// What Apple's Network has of interest to Examples/Devices/ios, with its signatures: a phone in a wireless network.
import Dispatch

public final class NWInterface {
  public enum InterfaceType: Sendable { case other, wifi, cellular, wiredEthernet, loopback }
}

public struct NWPath: Sendable {
  public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
  public let status = Status.satisfied
  public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool { type == .wifi }
}

public final class NWPathMonitor {
  public var pathUpdateHandler: (@Sendable (NWPath) -> Void)?
  public init() {}
  public func start(queue: DispatchQueue) {
    let handler = pathUpdateHandler
    queue.async { handler?(NWPath()) }
  }
  public func cancel() {}
}
