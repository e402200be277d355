import Measurement
import Store

/// The names of the devices of all targets: as configured, else as their receipts say, else each target has its own.
public struct DeviceNames: Sendable {
  private(set) var all: [TargetID: String] = [:]
  /// Targets whose device is neither configured nor known from a receipt so far.
  private(set) var unknown: Set<TargetID> = []

  init() {}

  /// - Throws: the error of the source.
  public init(_ reader: any SampleSource) throws {
    for run in try reader.runs() {
      for target in try reader.targets(of: run.id) {
        let device = try target.device ?? reader.receiptDevice(of: target.id)
        all[target.id] = device ?? target.name
        if device == nil { unknown.insert(target.id) }
      }
    }
  }

  /// The target's own name, where the source does not have it.
  public func name(of target: TargetRecord) -> String { all[target.id] ?? target.name }
}
