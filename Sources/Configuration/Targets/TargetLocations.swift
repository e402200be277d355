/// Where a target and its keys stand in the configuration: for mistakes that only show when what a key names is read.
public struct TargetLocations: Sendable, Hashable {
  /// Of the target itself; `nil` for one that is in no file.
  public var target: FilePosition?
  /// Of the values, by the path of keys below the target, like `credentials.key_id`.
  public var keys: [String: FilePosition]

  public init(target: FilePosition? = nil, keys: [String: FilePosition] = [:]) {
    self.target = target
    self.keys = keys
  }

  /// Where a setting is given, at the target or under its `credentials`, as a file or as a text, whichever it is asked for
  /// by; where the target begins when it is not given at all.
  public func place(of setting: String) -> FilePosition? {
    found(setting)?.place ?? target
  }

  /// The key as the configuration has it, with `_file` or without; `setting` itself when it is not given at all.
  public func written(_ setting: String) -> String { found(setting)?.key ?? setting }

  private func found(_ setting: String) -> (key: String, place: FilePosition)? {
    let name = setting.hasSuffix("_file") ? String(setting.dropLast("_file".count)) : setting
    for key in [setting, name, "\(name)_file"] {
      if let place = keys[key] ?? keys["credentials.\(key)"] { return (key, place) }
    }
    return nil
  }
}
