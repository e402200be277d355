import Measurement
import Store

/// One of the two sides of a comparison: the series of a run, of a target of it, or of a stretch of time.
public struct ComparisonSide: Sendable, Equatable {
  /// Notifications of one target and variant; of several runs where a stretch of time has several.
  struct Series: Sendable, Equatable {
    let target: String
    /// Empty if the target lists no values.
    let variant: String
    let targets: [TargetID]
    let variants: Set<VariantID>
    /// The run, where it is one.
    let run: RunID?
    /// The variants that are taken together; empty of a single one.
    var mixed: [String] = []

    var title: String { variant.isEmpty ? target : "\(target)/\(variant)" }

    /// A target as a whole: its variants together, as the schedule mixed them.
    ///
    /// - Parameter parts: all variants of one target; at least one.
    static func whole(_ parts: [Series]) -> Series {
      guard parts.count > 1, let first = parts.first else { return parts[0] }
      var targets: [TargetID] = []
      for target in parts.flatMap(\.targets) where !targets.contains(target) { targets.append(target) }
      return Series(
        target: first.target, variant: "", targets: targets,
        variants: parts.reduce(into: []) { $0.formUnion($1.variants) },
        run: parts.allSatisfy { $0.run == first.run } ? first.run : nil,
        mixed: parts.map { $0.variant.isEmpty ? "(none)" : $0.variant })
    }
  }

  /// The name of the side in the report.
  public let title: String
  let series: [Series]
  let since: WallTime?
  let until: WallTime?

  /// A run, a target of it, or a variant of that.
  ///
  /// - Parameter address: `run`, `run/target` or `run/target/variant`; names may contain slashes.
  /// - Throws: ``ReportError``, `StoreError`.
  public init(_ address: String, in reader: any SampleSource) throws {
    let (run, rest) = try Self.run(address, in: reader)
    let records = try reader.targets(of: run.id)
    let found = try rest.map { try Self.target($0, of: records) }
    title = EscapedText.make("\(address) (") + Self.title(run) + ")"
    series = (found.map { [$0.target] } ?? records).flatMap { target in
      target.variants.filter { found?.variant == nil || $0.name == found?.variant }.map {
        Series(
          target: target.name, variant: $0.name, targets: [target.id], variants: [$0.id], run: run.id)
      }
    }
    (since, until) = (nil, nil)
  }

  /// What was planned in a stretch of time.
  ///
  /// - Parameters:
  ///   - run: `nil` for all runs.
  ///   - targets: by name; `nil` for all.
  /// - Throws: `StoreError`.
  public init(
    _ time: Range<WallTime>, run: RunID? = nil, targets: Set<String>? = nil, in reader: any SampleSource
  ) throws {
    title = "\(RunText.time(time.lowerBound)) to \(RunText.time(time.upperBound)) UTC"
    (since, until) = (time.lowerBound, time.upperBound)
    var series: [Series] = []
    for entry in try TargetDirectory(reader, RowSelection(run: run, targets: targets)).entries
    where entry.run.startedAt < time.upperBound && entry.run.endedAt.map({ $0 >= time.lowerBound }) ?? true {
      for variant in entry.target.variants {
        let same = series.firstIndex { $0.target == entry.target.name && $0.variant == variant.name }
        let before = same.map { series[$0] }
        let joined = Series(
          target: entry.target.name, variant: variant.name,
          targets: (before?.targets ?? []) + [entry.target.id],
          variants: (before?.variants ?? []).union([variant.id]), run: before == nil ? entry.run.id : nil)
        if let same { series[same] = joined } else { series.append(joined) }
      }
    }
    self.series = series
  }

  private static func title(_ run: RunRecord) -> String {
    let name = run.name.map { " \"\(EscapedText.make($0))\"" } ?? ""
    return "\(run.id)\(name), \(RunText.time(run.startedAt)) UTC, \(RunText.length(run))"
  }

  /// The longest beginning of an address that names a run, and what follows its slash.
  private static func run(
    _ address: String, in reader: any SampleSource
  ) throws -> (run: RunRecord, rest: String?) {
    // An empty store has no run of any name, which is the thing to say.
    _ = try RunFinder.find("latest", in: reader)
    let slashes = address.indices.filter { address[$0] == "/" }
    for end in [address.endIndex] + slashes.reversed() {
      do {
        let run = try RunFinder.find(String(address[..<end]), in: reader)
        return (run, end == address.endIndex ? nil : String(address[address.index(after: end)...]))
      } catch let error as ReportError {
        guard error.code == .noSuchRun else { throw error }
      }
    }
    throw ReportError(
      .noSuchRun, "there is no run \"\(address)\"",
      remedy: "see pushscope runs list; a target of the newest run is named latest/NAME")
  }

  /// The target, and the variant if there is one, that the rest of an address names.
  private static func target(
    _ rest: String, of targets: [TargetRecord]
  ) throws(ReportError) -> (target: TargetRecord, variant: String?) {
    if let target = targets.first(where: { $0.name == rest }) { return (target, nil) }
    let prefixes = targets.filter { rest.hasPrefix($0.name + "/") }
    guard let target = prefixes.max(by: { $0.name.utf8.count < $1.name.utf8.count }) else {
      throw ReportError(
        .noSuchTarget, "the run has no target \"\(rest)\"",
        remedy: targets.isEmpty
          ? "it has none" : "name one of: " + targets.map(\.name).sorted().joined(separator: ", "))
    }
    let variant = String(rest.dropFirst(target.name.count + 1))
    guard target.variants.contains(where: { $0.name == variant }) else {
      let names = target.variants.map(\.name).filter { !$0.isEmpty }
      throw ReportError(
        .noSuchTarget, "target \"\(target.name)\" has no variant \"\(variant)\"",
        remedy: names.isEmpty ? "it has none" : "name one of: " + names.joined(separator: "; "))
    }
    return (target, variant)
  }
}

/// Which series of two sides belong together.
struct ComparisonPairs {
  var pairs: [(first: ComparisonSide.Series, second: ComparisonSide.Series)] = []
  var onlyFirst: [String] = []
  var onlySecond: [String] = []

  /// Two single series are a pair, whatever they are called. Otherwise the target's name decides, unless each side has only
  /// one, and the variant's. Two targets that have no variant in common are compared as wholes.
  /// - Throws: ``ReportError`` where nothing matches, or the two are the same notifications.
  init(_ first: ComparisonSide, _ second: ComparisonSide) throws(ReportError) {
    for side in [first, second] where side.series.isEmpty {
      throw ReportError(
        .nothingInCommon, "the two have nothing in common: nothing was recorded in \(side.title)",
        remedy: "name another time, run or target; pushscope runs list has what was recorded")
    }
    if let one = first.series.first, let other = second.series.first, first.series.count == 1,
      second.series.count == 1
    {
      pairs = [(one, other)]
    } else {
      let targets = (Set(first.series.map(\.target)), Set(second.series.map(\.target)))
      let isByVariant = targets.0.count == 1 && targets.1.count == 1
      var rest = second.series
      var alone: [ComparisonSide.Series] = []
      for series in first.series {
        let match = rest.firstIndex {
          $0.variant == series.variant && (isByVariant || $0.target == series.target)
        }
        if let match {
          pairs.append((series, rest.remove(at: match)))
        } else {
          alone.append(series)
        }
      }
      let matched = Set(pairs.map(\.first.target))
      for target in targets.0.subtracting(matched).sorted() {
        let own = alone.filter { $0.target == target }
        let other = rest.filter { isByVariant || $0.target == target }
        guard !own.isEmpty, !other.isEmpty else { continue }
        pairs.append((.whole(own), .whole(other)))
        alone.removeAll { own.contains($0) }
        rest.removeAll { other.contains($0) }
      }
      onlyFirst = alone.map(\.title)
      onlySecond = rest.map(\.title)
    }
    guard !pairs.isEmpty else {
      func names(_ side: ComparisonSide) -> String {
        side.series.map(\.title).joined(separator: ", ")
      }
      throw ReportError(
        .nothingInCommon,
        "the two have no target and variant in common (\(names(first)); \(names(second)))",
        remedy: "name one target of each, like run/target or run/target/variant")
    }
    let isSameTime = first.since == second.since && first.until == second.until
    if isSameTime, let same = pairs.first(where: { $0.targets == $1.targets && $0.variants == $1.variants }) {
      throw ReportError(
        .sameOnBothSides, "\(same.first.title) is the same on both sides",
        remedy: "name two runs, two targets or variants, or two stretches of time")
    }
  }
}
