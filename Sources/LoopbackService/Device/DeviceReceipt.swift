import Measurement

/// A device's word that a notification reached it.
struct DeviceReceipt {
  /// As the payload had them; both need no escaping.
  var id: String
  var mac: String
  var receivedAt: WallTime
  var receivedMonotonic: MonotonicTime
}
