// What Apple's UserNotifications has of interest to Examples/Devices/ios, with its signatures, so that the example can be
// compiled, and run, where there is no SDK of Apple's. Also stands for what Foundation has there and not here.
@_exported import Foundation
@_exported import FoundationNetworking
import Glibc

open class UNNotificationContent: NSObject, NSMutableCopying {
  fileprivate var stored: [AnyHashable: Any]
  open var userInfo: [AnyHashable: Any] { stored }
  public init(userInfo: [AnyHashable: Any] = [:]) { stored = userInfo }
  public func mutableCopy(with zone: NSZone? = nil) -> Any { UNMutableNotificationContent(userInfo: stored) }
}

open class UNMutableNotificationContent: UNNotificationContent {
  open override var userInfo: [AnyHashable: Any] {
    get { stored }
    set { stored = newValue }
  }
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

public enum UNAuthorizationStatus: Int, Sendable {
  case notDetermined, denied, authorized, provisional, ephemeral
}
public enum UNNotificationSetting: Int, Sendable { case notSupported, disabled, enabled }

open class UNNotificationSettings: NSObject {
  public let authorizationStatus = UNAuthorizationStatus.authorized
  public let alertSetting = UNNotificationSetting.enabled
  public let notificationCenterSetting = UNNotificationSetting.disabled
  public let lockScreenSetting = UNNotificationSetting.disabled
}

open class UNUserNotificationCenter: NSObject {
  public class func current() -> UNUserNotificationCenter { UNUserNotificationCenter() }
  public func getNotificationSettings(completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void)
  {
    completionHandler(UNNotificationSettings())
  }
}

public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"

open class UNNotification: NSObject {
  public let request: UNNotificationRequest
  public init(request: UNNotificationRequest) { self.request = request }
}

open class UNNotificationResponse: NSObject {
  public let notification: UNNotification
  public let actionIdentifier = UNNotificationDefaultActionIdentifier
  public init(notification: UNNotification) { self.notification = notification }
}

public struct UNNotificationPresentationOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let list = UNNotificationPresentationOptions(rawValue: 8)
  public static let banner = UNNotificationPresentationOptions(rawValue: 16)
}

public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping @Sendable () -> Void)
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
    withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void)
}

extension ProcessInfo {
  public var isLowPowerModeEnabled: Bool { false }
}

public func clock_gettime_nsec_np(_ clock: clockid_t) -> UInt64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
