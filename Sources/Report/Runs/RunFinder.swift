import Measurement
import Store

/// Finds the run that someone means.
public enum RunFinder {
  /// - Parameter text: a run's UUID or the beginning of one (at least four characters), its name, or `latest`.
  public static func find(_ text: String, in reader: StoreReader) throws -> RunRecord {
    let runs = try reader.runs()
    if text == "latest" {
      guard let latest = runs.last else {
        throw ReportError(.noSuchRun, "the store holds no runs yet", remedy: "start one: pushscope collect")
      }
      return latest
    }
    let prefix = text.lowercased()
    if let exact = runs.first(where: { $0.id.description == prefix }) { return exact }
    var found = runs.filter { $0.name == text }
    if found.isEmpty, text.utf8.count >= 4 { found = runs.filter { $0.id.description.hasPrefix(prefix) } }
    guard let run = found.first else {
      throw ReportError(.noSuchRun, "there is no run \"\(text)\"", remedy: "see pushscope runs list")
    }
    guard found.count == 1 else {
      throw ReportError(
        .ambiguousRun, "\"\(text)\" may be any of \(found.count) runs",
        remedy: "name one of: " + found.suffix(5).map(\.id.description).joined(separator: ", "))
    }
    return run
  }

  /// Checks that each name is a target of a run that is looked at, so that a typing mistake is not an empty report.
  public static func check(targets: Set<String>, of run: RunID?, in reader: StoreReader) throws {
    let runs = try RowSelection(run: run).runs(in: reader)
    let known = Set(runs.flatMap(\.targetNames))
    guard let missing = targets.subtracting(known).min() else { return }
    throw ReportError(
      .noSuchTarget, "there is no target \"\(missing)\" here",
      remedy: known.isEmpty
        ? "no run has targets yet" : "name one of: " + known.sorted().joined(separator: ", "))
  }
}
