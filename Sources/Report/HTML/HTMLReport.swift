import Formats
import Measurement
import Store

/// A report to pass on: one HTML file that shows what was found, how long notifications took and how each number was made.
/// It refers to nothing outside of itself, and reads on paper, on a phone and without scripts.
public struct HTMLReport: Sendable {
  private let content: ReportContent
  private let time: ReportTime

  /// Targets with charts and tables of their own; the overview has all.
  static let mostSections = 12

  /// Reads the selection. Memory grows with runs and targets, not with notifications.
  ///
  /// - Parameters:
  ///   - now: when it is made, and the end of runs that are still recorded.
  ///   - zone: the reader's.
  /// - Throws: `StoreError`, ``ReportError`` when a run is deleted meanwhile.
  public init(
    _ reader: StoreReader, _ selection: RowSelection = RowSelection(), at now: WallTime, in zone: LocalTime
  ) throws {
    try self.init(reader, selection, depth: .standard, at: now, in: zone)
  }

  init(
    _ reader: StoreReader, _ selection: RowSelection, depth: RollupThreshold, at now: WallTime,
    in zone: LocalTime
  ) throws {
    content = try ReportContent(reader, selection, depth: depth, at: now)
    time = ReportTime(zone, start: content.start, end: content.end)
  }

  /// The notifications that were due, and the targets that had any.
  public var size: (notifications: Int, targets: Int) {
    (content.targets.reduce(0) { $0 + $1.total.counts.due }, content.targets.count)
  }

  /// Writes the file.
  public func write(to sink: any ByteSink) throws(OutputError) { try sink.write(page.html) }

  private var page: Markup {
    let answer = ReportAnswer(content, time)
    let sections = content.targets.prefix(Self.mostSections).enumerated().map { index, target in
      TargetSection(
        number: index + 1, target: target, legs: content.legs[index], content: content, time: time
      ).markup
    }
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(ReportScript.policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="generator" content="pushscope">
      <title>\(answer.title)</title>
      <style>
      \(ReportStyle.sheet)</style>
      </head>
      <body>
      <main>
      \(answer.markup)\(OverviewSection(content, time).markup)\(sections)\(further)\
      \(ConnectionSection(content, time).markup)\(MethodSection(content, time).markup)</main>
      <script>\(ReportScript.source)</script>
      </body>
      </html>

      """
  }

  private var further: Markup {
    let rest = content.targets.dropFirst(Self.mostSections)
    guard !rest.isEmpty else { return "" }
    return """
      <p class="soft">\(CountText.text(rest.count, "more target is", plural: "more targets are")) in the table above only. Name some with --target to see their charts.</p>

      """
  }
}
