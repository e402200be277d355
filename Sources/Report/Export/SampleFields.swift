import Formats
import Measurement
import Store

extension SampleField {
  /// A notification's value of this field, as in the table `samples`.
  func json(of sample: Sample) -> JSONValue {
    switch self {
    case .column(let column): column.json(of: sample)
    case .time(_, let interval):
      .string(interval.number(of: sample).map { sample.plannedAt.advanced(byMicroseconds: $0).rfc3339 })
    case .deliveryCertainty: .string(sample.deliveryCertainty?.rawValue)
    case .deliveryLow: .integer(sample.deliveryRange?.low)
    case .deliveryHigh: .integer(sample.deliveryRange?.high)
    case .context: .integer(sample.context?.rawValue)
    }
  }
}

extension SampleColumn {
  fileprivate func number(of sample: Sample) -> Int64? {
    guard case .number(let get, _) = access else { return nil }
    return get(sample)
  }

  fileprivate func json(of sample: Sample) -> JSONValue {
    if case .text(let get, _) = access { return .string(get(sample)) }
    guard let number = number(of: sample) else { return .null }
    guard words.isEmpty else { return .string(words.first { $0.value == number }?.word) }
    return JSONValue(.integer(number), of: type)
  }
}

extension TargetDirectory.Entry {
  /// A notification of the target with the names and values of the table `samples`.
  func json(of sample: Sample) -> [JSONValue.Member] {
    let variant = target.variants.first { $0.id == sample.variant }?.name ?? ""
    return [
      .init("run", .string(run.id.description)), .init("target", .string(target.name)),
      .init("variant", .string(variant.isEmpty ? nil : variant)), .init("provider", .string(target.provider)),
      .init("sequence", .integer(sample.id.sequence)),
      .init("notification_id", .string(target.notificationID(sample.id).description)),
    ] + SampleField.exported.map { .init($0.name, $0.json(of: sample)) }
  }
}
