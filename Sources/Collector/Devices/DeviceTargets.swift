import Configuration
import Measurement
import Store

/// The configuration as effective: the file's targets, and one for each device that joined.
public enum EffectiveConfiguration {
  /// Reads the devices of a store; writes nothing. What `--check` and `doctor` look at.
  /// - Throws: `FileReadError`, or an error that says what is wrong with the device directory.
  public static func make(_ configuration: PushscopeConfiguration, store: String) throws
    -> PushscopeConfiguration
  {
    guard let devices = configuration.devices else { return configuration }
    let directory = DeviceDirectory(devices, store: store)
    return configuration.with(try directory.content().devices, in: directory)
  }
}

extension PushscopeConfiguration {
  /// The names of the file's targets.
  var configuredNames: Set<String> { Set(targets.filter { $0.joined == nil }.map(\.name)) }

  /// The same file with the targets of devices: those that are active, whose push service may be sent to, and whose name no
  /// configured target has.
  func with(_ joined: [JoinedDevice], in directory: DeviceDirectory) -> PushscopeConfiguration {
    var effective = self
    effective.targets.removeAll { $0.joined != nil }
    guard let devices else { return effective }
    let taken = effective.configuredNames
    effective.targets += joined.filter { $0.state == .active && !taken.contains($0.name) }.compactMap {
      device in
      guard let endpoint = device.endpoint else { return nil }
      return devices.target(
        of: .init(
          name: device.name, endpoint: endpoint, subscriptionFile: directory.file(of: device.name),
          vapidKeyFile: directory.vapidKeyFile, keyHash: device.keyHash))
    }
    return effective
  }
}
