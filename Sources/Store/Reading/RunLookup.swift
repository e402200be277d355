import Measurement

/// Finds a run by what a person calls it.
public enum RunLookup {
  /// Why a text names no run.
  public struct Failure: Error {
    /// One clause, with the text as it was given.
    public var text: String
    /// The ids of runs that may be meant; none where no run is called so.
    public var candidates: [RunID]
  }

  /// Fewer characters may be typed by mistake.
  private static let leastPrefix = 4

  /// - Parameter text: a run's UUID or the beginning of one (at least four characters), or its name.
  /// - Returns: the index of the run.
  public static func find(_ text: String, in runs: [RunRecord]) throws(Failure) -> Int {
    let prefix = text.lowercased()
    if let exact = runs.firstIndex(where: { $0.id.description == prefix }) { return exact }
    var found = runs.indices.filter { runs[$0].name == text }
    if found.isEmpty { found = runs.indices.filter { runs[$0].id.description.hasPrefix(prefix) } }
    guard let run = found.first, !text.isEmpty else {
      throw Failure(text: "there is no run \"\(text)\"", candidates: [])
    }
    let candidates = found.suffix(5).map { runs[$0].id }
    guard runs[run].name == text || prefix.utf8.count >= leastPrefix else {
      throw Failure(
        text: "\"\(text)\" is too short for the beginning of an id: it takes \(leastPrefix) characters",
        candidates: candidates)
    }
    guard found.count == 1 else {
      throw Failure(text: "\"\(text)\" may be any of \(found.count) runs", candidates: candidates)
    }
    return run
  }
}
