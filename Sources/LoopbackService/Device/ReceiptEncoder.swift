import Measurement

/// What all receipts of a device have in common, and the JSON that `POST /v1/receipts` wants.
struct ReceiptEncoder {
  private let tail: String
  private let bootTail: String?

  init(device: String, bootID: String?) {
    tail = ",\"device\":\"\(device.jsonEscaped)\""
    bootTail = bootID.map { ",\"boot_id\":\"\($0.jsonEscaped)\",\"monotonic_ns\":" }
  }

  /// - Parameter clock: exchanges, as JSON.
  func body(_ receipts: [DeviceReceipt], clock: [String] = []) -> String {
    var text = "{\"receipts\":["
    for (index, receipt) in receipts.enumerated() {
      if index > 0 { text += "," }
      text += "{\"id\":\"\(receipt.id)\",\"mac\":\"\(receipt.mac)\","
      text += "\"received_at_ms\":\(receipt.receivedAt.microseconds / 1000)"
      text += tail
      if let bootTail { text += "\(bootTail)\(receipt.receivedMonotonic.nanoseconds)" }
      text += "}"
    }
    text += "]"
    if !clock.isEmpty { text += ",\"clock\":[\(clock.joined(separator: ","))]" }
    return text + "}"
  }
}
