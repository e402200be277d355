// What Apple's UserNotifications has of interest to Examples/Devices/ios, with its signatures, so that the example can be
// compiled, and run, where there is no SDK of Apple's. Also stands for what Foundation has there and not here.
@_exported import Foundation
@_exported import FoundationNetworking
import Glibc

open class UNNotificationContent: NSObject {
  public let userInfo: [AnyHashable: Any]
  public init(userInfo: [AnyHashable: Any] = [:]) { self.userInfo = userInfo }
}

open class UNNotificationRequest: NSObject {
  public let content: UNNotificationContent
  public init(content: UNNotificationContent) { self.content = content }
}

open class UNNotificationServiceExtension: NSObject {
  open func didReceive(
    _ request: UNNotificationRequest,
    withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {}
  open func serviceExtensionTimeWillExpire() {}
}

public func clock_gettime_nsec_np(_ clock: clockid_t) -> UInt64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
