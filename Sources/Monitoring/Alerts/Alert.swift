import Measurement
import Store

/// What is told of an objective or a finding: labels that identify it, annotations that explain it.
struct Alert: Sendable, Equatable {
  var kind: AlertRecord.Kind
  /// The id of this incident: the next one of the same objective has another.
  var id: String
  var labels: [String: String]
  var annotations: [String: String]
  var startedAt: WallTime

  /// The fingerprint of Alertmanager's data model: equal for equal labels.
  var fingerprint: String { AlertFingerprint.make(labels) }

  var record: AlertRecord {
    AlertRecord(
      id: id, fingerprint: fingerprint, kind: kind, labels: labels, annotations: annotations,
      startedAt: startedAt)
  }
}

/// The fingerprint of a set of labels as Prometheus and Alertmanager compute it (prometheus/common, model/signature.go):
/// FNV-1a over sorted names and values, each followed by 0xff.
enum AlertFingerprint {
  static func make(_ labels: [String: String]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    for (name, value) in labels.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      for byte in name.utf8 { add(byte) }
      add(0xFF)
      for byte in value.utf8 { add(byte) }
      add(0xFF)
    }
    return HexText.make(hash)
  }
}

/// The JSON of Alertmanager's webhooks, version 4.
/// https://prometheus.io/docs/alerting/latest/configuration/#webhook_config
struct AlertMessage: Encodable {
  struct Entry: Encodable {
    var status: String
    var labels: [String: String]
    var annotations: [String: String]
    var startsAt: String
    /// The year 1 while it lasts.
    var endsAt: String
    var generatorURL: String
    var fingerprint: String
  }

  var version = "4"
  var groupKey: String
  var truncatedAlerts: Int
  /// `firing` if any of them is.
  var status: String
  var receiver: String
  var groupLabels: [String: String]
  var commonLabels: [String: String]
  var commonAnnotations: [String: String]
  var externalURL: String
  var alerts: [Entry]

  static let maximumAlerts = 100

  /// - Parameters:
  ///   - records: at least one; those beyond ``maximumAlerts`` are only counted.
  ///   - receiver: `webhook` or `command`.
  ///   - externalURL: where the collector's web endpoint is; empty without one.
  init(_ records: [AlertRecord], receiver: String, externalURL: String) {
    alerts = records.prefix(Self.maximumAlerts).map { record in
      Entry(
        status: record.endedAt == nil ? "firing" : "resolved", labels: record.labels,
        annotations: record.annotations, startsAt: record.startedAt.rfc3339,
        endsAt: record.endedAt?.rfc3339 ?? "0001-01-01T00:00:00Z", generatorURL: externalURL,
        fingerprint: record.fingerprint)
    }
    truncatedAlerts = max(0, records.count - Self.maximumAlerts)
    status = records.contains { $0.endedAt == nil } ? "firing" : "resolved"
    self.receiver = receiver
    groupKey = "{}:{}"
    groupLabels = [:]
    commonLabels = Self.common(records.map(\.labels))
    commonAnnotations = Self.common(records.map(\.annotations))
    self.externalURL = externalURL
  }

  private static func common(_ all: [[String: String]]) -> [String: String] {
    guard let first = all.first else { return [:] }
    return first.filter { name, value in all.allSatisfy { $0[name] == value } }
  }

  var json: [UInt8] { Array(JSONText.make(self).utf8) }
}
