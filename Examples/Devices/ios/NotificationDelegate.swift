// Tells pushscope's collector when a notification was opened. For the app; NotificationService.swift must be in its target, too.
// Swift 6.
//
// Set it before the app has finished launching, and keep it (UNUserNotificationCenter.delegate is weak):
//
//   let delegate = NotificationDelegate()
//   UNUserNotificationCenter.current().delegate = delegate
//
// An app that has a delegate already calls `report(_:)` from its own.
import Foundation
import UserNotifications

final class NotificationDelegate: NSObject, UNUserNotificationCenterDelegate {
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping @Sendable () -> Void
  ) {
    Self.report(response)
    // Before the receipt is posted: the app is in the foreground now, and goes on running.
    completionHandler()
  }

  /// opened_at_ms: the delegate is told of "the user's response to a delivered notification", here that "the user opened the app
  /// from the notification interface" (UNNotificationDefaultActionIdentifier). A notification that is dismissed was not opened.
  ///
  /// The stamp is by the extension's clock, as `received_at_ms` is: both are CLOCK_MONOTONIC with the same offset.
  static func report(_ response: UNNotificationResponse) {
    guard response.actionIdentifier == UNNotificationDefaultActionIdentifier,
      let receipt = Receipt(openedFrom: response.notification.request.content.userInfo)
    else { return }
    Task { await Receipts.shared.post(receipt, exchanges: 0) }
  }

  /// An alert that arrives while the app is in the foreground is shown only where this says so.
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
    withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
  ) {
    completionHandler([.banner, .list])
  }
}
