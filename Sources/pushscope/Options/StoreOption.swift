import ArgumentParser
import Store

/// `--store FILE`, for every command that reads or writes one.
struct StoreOption: ParsableArguments {
  @Option(
    name: .customLong("store"),
    help: ArgumentHelp(
      "The store's file.",
      discussion:
        "Default: $XDG_DATA_HOME/pushscope/pushscope.sqlite, or ~/.local/share/pushscope/pushscope.sqlite.",
      valueName: "file"))
  var file: String?

  /// - Throws: ``CommandFailure`` when none was named and there is no home directory.
  func path(for purpose: DefaultPath.Purpose) throws(CommandFailure) -> String {
    if let file { return file }
    return try DefaultPath(in: ProcessEnvironment.all, for: purpose).store()
  }

  /// Opens the store for reading.
  /// - Throws: ``CommandFailure``, `StoreError`.
  func reader() throws -> StoreReader { try Self.reader(at: try path(for: .reading)) }

  /// A store that cannot be read is missing input for whoever only reads, whereas writers cannot create theirs.
  static func reader(at path: String) throws -> StoreReader {
    do {
      return try StoreReader.open(at: path)
    } catch let error as StoreError where [.permissionDenied, .readOnly].contains(error.code) {
      throw CommandFailure("\(error)", exitStatus: .noInput)
    }
  }
}
