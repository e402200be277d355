import Measurement
import Store

/// The names of the devices of all targets: as configured, else as their receipts say, else each target has its own.
struct DeviceNames {
  private(set) var all: [TargetID: String] = [:]

  init() {}

  init(_ reader: any SampleSource) throws {
    for run in try reader.runs() {
      for target in try reader.targets(of: run.id) {
        all[target.id] = try target.device ?? reader.receiptDevice(of: target.id) ?? target.name
      }
    }
  }

  func name(of target: TargetRecord) -> String { all[target.id] ?? target.name }
}
