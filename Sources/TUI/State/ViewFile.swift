import FoundationEssentials
import Glibc
import Measurement
import Threads

/// The file in `$XDG_STATE_HOME/pushscope/views` that keeps the view of a store: for the next time, where the configuration asks for
/// that, else only until the dashboard ends in order, so that one that opens after a crash shows what was shown.
struct ViewFile {
  private let directory: String
  private let store: String
  private let outlastsTheEnd: Bool

  /// - Parameters:
  ///   - store: the path or name of what is shown.
  ///   - outlastsTheEnd: whether the view is for the next time in any case.
  /// - Returns: `nil` without a home.
  init?(of store: String, environment: [String: String], outlastsTheEnd: Bool) {
    guard let base = StateDirectory.path(environment: environment) else { return nil }
    directory = base + "/views"
    self.outlastsTheEnd = outlastsTheEnd
    // FNV-1a: the name need not be secret, only short and the same each time.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    let path = store.hasPrefix("/") ? store : FileManager.default.currentDirectoryPath + "/" + store
    for byte in path.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    self.store = String(hash, radix: 16)
  }

  private var file: String {
    outlastsTheEnd ? "\(directory)/\(store).json" : "\(directory)/\(store).\(ProcessIdentity.own).json"
  }

  /// The view to open with, before anything is written; one that a crash has left is returned once and deleted.
  func claimLast() -> LastView? {
    let abandoned = abandoned
    let old = Double(time(nil)) - Self.keepingTime
    for (name, file) in abandoned where name != store && file.written < old { unlink(file.path) }
    let left = abandoned.filter { $0.store == store }.map(\.file.path)
    if let newest = left.first {
      let view = Self.read(newest)
      for file in left { unlink(file) }
      if let view { return view }
    }
    return outlastsTheEnd ? Self.read(file) : nil
  }

  /// How long a view is kept that a crash has left and that nobody has asked for since, in seconds.
  private static let keepingTime = 30 * 86_400.0

  /// Files of processes that are gone, the newest first, of whatever store.
  private var abandoned: [(store: Substring, file: StateDirectory.File)] {
    StateDirectory.files(in: directory).compactMap { file in
      let parts = file.name.split(separator: ".")
      guard parts.count == 3, let process = ProcessIdentity(parts[1]),
        // This process has written nothing yet: in a container another one had its id before.
        process.id == ProcessIdentity.own.id || !process.isRunning
      else { return nil }
      return (parts[0], file)
    }
  }

  /// - Returns: `nil` without a readable file: the view of a store is not worth an error.
  private static func read(_ file: String) -> LastView? {
    guard let data = FileManager.default.contents(atPath: file), data.count < 1_000_000 else { return nil }
    return try? JSONDecoder().decode(LastView.self, from: data)
  }

  /// Writes the file in one piece. Where that is not possible the view is not remembered.
  func write(_ view: LastView) {
    let data = Data(JSONText.make(view, isIndented: true).utf8)
    try? FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try? data.write(to: URL(filePath: file), options: .atomic)
  }

  /// The dashboard ends in order.
  func end(with view: LastView?) {
    guard outlastsTheEnd else {
      try? FileManager.default.removeItem(atPath: file)
      return
    }
    if let view { write(view) }
  }
}
