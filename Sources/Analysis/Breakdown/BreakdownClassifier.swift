import Measurement
import Store

/// Finds the value that one key has of each notification. Values are numbers, which order them; the text of one is asked for once.
final class BreakdownClassifier {
  /// A notification without a value, such as of a device that did not report it. Sorted last.
  static let none = Int64.max
  /// The gap before a notification that was not sent.
  private static let unsent = Int64.max - 1

  let key: BreakdownKey
  private let zone: LocalTime
  private let reader: any SampleSource
  private let gaps: DeviceGaps?
  /// Texts that are numbered as they come.
  private var texts: [String] = []
  private var numbers: [String: Int64] = [:]
  private var labels: [RunID: String] = [:]
  private var contexts: [DeviceContextID: Int64] = [:]
  private var variants: [VariantID: Int64] = [:]
  /// The value of all notifications of the target that is read.
  private var ofTarget = none
  /// The offset of the zone in the quarter of an hour that was looked at last.
  private var offset: (quarter: Int64, microseconds: Int64) = (.min, 0)

  /// - Parameter gaps: needed for ``BreakdownKey/gap``.
  init(_ key: BreakdownKey, _ reader: any SampleSource, zone: LocalTime, gaps: DeviceGaps?) throws {
    (self.key, self.reader, self.zone, self.gaps) = (key, reader, zone, gaps)
    if case .label(let name) = key { labels = try reader.labels(named: name) }
  }

  private func number(of text: String) -> Int64 {
    if let known = numbers[text] { return known }
    let number = Int64(texts.count)
    texts.append(text)
    numbers[text] = number
    return number
  }

  /// The notifications of a target follow.
  /// - Parameter device: its configured device, or the name in its receipts.
  func begin(_ target: TargetRecord, device: String) {
    ofTarget =
      switch key {
      case .target: number(of: target.name)
      case .device: number(of: device)
      case .provider: number(of: target.provider)
      case .label: labels[target.run].map(number) ?? Self.none
      default: Self.none
      }
    guard key == .variant else { return }
    variants = Dictionary(
      target.variants.map { ($0.id, $0.name.isEmpty ? Self.none : number(of: $0.name)) },
      uniquingKeysWith: { first, _ in first })
  }

  func value(of row: borrowing SampleRow) throws -> Int64 {
    switch key {
    case .context(let part): try row.context.map { try number(of: part, in: $0) } ?? Self.none
    case .fresh: row.isFreshConnection.map { $0 ? 1 : 0 } ?? Self.none
    case .payload: row.payloadBytes.map { DecimalSteps.start(of: Int64($0)) } ?? Self.none
    case .variant: variants[row.variant] ?? Self.none
    case .hour, .weekday, .minute, .gap, .target, .device, .provider, .label:
      value(plannedAt: row.plannedAt, scheduleLag: row.scheduleLag, of: row.id.target)
    }
  }

  /// The value where it follows from the target and from when it planned and sent the notification; no value for a key that needs
  /// its row (``BreakdownKey/needsRow``).
  func value(plannedAt: WallTime, scheduleLag: Int64?, of target: TargetID) -> Int64 {
    switch key {
    case .hour: localSeconds(plannedAt).remainder(of: 86_400) / 3_600
    // 1970 began on a Thursday.
    case .weekday: (localSeconds(plannedAt).flooringDivision(by: 86_400) + 3).remainder(of: 7)
    case .minute: localSeconds(plannedAt).remainder(of: 3_600) / 60
    case .gap:
      scheduleLag.map { lag in
        gaps?.gap(before: plannedAt.advanced(byMicroseconds: lag), of: target)
          .map { DecimalSteps.start(of: $0.components.seconds) } ?? Self.none
      } ?? Self.unsent
    case .target, .device, .provider, .label: ofTarget
    case .context, .fresh, .payload, .variant: Self.none
    }
  }

  private func number(of part: DeviceContextKey, in id: DeviceContextID) throws -> Int64 {
    if let known = contexts[id] { return known }
    for (id, context) in try reader.deviceContexts() where contexts[id] == nil {
      contexts[id] =
        context[part].map { word in
          part.words.firstIndex(of: word).map(Int64.init)
            ?? (part.words.isEmpty ? number(of: word) : Int64(part.words.count))
        } ?? Self.none
    }
    let value = contexts[id] ?? Self.none
    contexts[id] = value
    return value
  }

  /// Whole seconds of the zone's clock since 1970.
  private func localSeconds(_ time: WallTime) -> Int64 {
    let quarter = time.seconds.flooringDivision(by: 900)
    if quarter != offset.quarter { offset = (quarter, zone.offset(at: time)) }
    return time.advanced(byMicroseconds: offset.microseconds).seconds
  }

  /// A value for people and for exports.
  func text(of value: Int64) -> String {
    guard value != Self.none else {
      return switch key {
      case .gap: "the first"
      case .context: "not reported"
      default: "none"
      }
    }
    if value == Self.unsent { return "not sent" }
    return switch key {
    case .hour: "\(FixedPoint.padded(value, width: 2)):00"
    case .weekday: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][Int(value)]
    case .minute: FixedPoint.padded(value, width: 2)
    case .gap: "\(Self.length(value)) to \(Self.length(DecimalSteps.end(from: value)))"
    case .payload:
      "\(CountText.grouped(Int(value))) to \(CountText.grouped(Int(DecimalSteps.end(from: value)) - 1)) bytes"
    case .context(let part) where !part.words.isEmpty:
      part.words.indices.contains(Int(value)) ? part.words[Int(value)] : DeviceContextKey.otherWord
    case .fresh: value == 1 ? "true" : "false"
    case .context, .target, .variant, .device, .provider, .label: texts[Int(value)]
    }
  }

  /// The order of two values: numbers by size, text by its letters, none last.
  func isBefore(_ a: Int64, _ b: Int64) -> Bool {
    guard a != Self.none, b != Self.none else { return b == Self.none && a != Self.none }
    switch key {
    case .target, .variant, .device, .provider, .label, .context(.os): return texts[Int(a)] < texts[Int(b)]
    default: return a < b
    }
  }

  /// Whole seconds: `5 s`, `200 s`.
  private static func length(_ seconds: Int64) -> String { LengthText.text(.seconds(seconds)) }
}

extension Int64 {
  /// What is left after division, from 0 up.
  fileprivate func remainder(of divisor: Int64) -> Int64 { self - flooringDivision(by: divisor) * divisor }
}
