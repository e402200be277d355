import Configuration
import Measurement
import Store

extension MetricsState {
  /// Everything under its public name (docs/operations.md).
  /// - Parameters:
  ///   - labels: of the configuration; every metric has them.
  ///   - now: ages are counted until it.
  ///   - droppedLogLines: lines of the log that were not written.
  func families(
    labels: [ConfiguredLabel], version: String, at now: WallTime,
    droppedLogLines: UInt64 = 0
  ) -> [MetricFamily] {
    let common = labels.map { MetricFamily.Label(name: $0.name, value: $0.value) }
    return
      (notifications() + verdictFamilies() + distributionFamilies() + gauges(at: now)
      + collector(version)
      + objectivesAndFindings() + forwarding() + partFamilies() + [Self.log(droppedLogLines)])
      .map { family in
        var family = family
        for index in family.points.indices { family.points[index].labels += common }
        return family
      }
  }

  private func forwarding() -> [MetricFamily] {
    guard let backlog = store.forwardBacklog else { return [] }
    return [
      MetricFamily(
        .gauge, "pushscope_forward_backlog_rows", "Rows of the store that are not in the fleet yet.",
        [Point(labels: [], value: .number(Double(backlog)))])
    ]
  }

  private func partFamilies() -> [MetricFamily] {
    guard !parts.isEmpty else { return [] }
    return [
      MetricFamily(
        .gauge, "pushscope_part_up",
        "1 while a part of the collector works; 0 after it failed. Sending and recording go on without it.",
        parts.sorted { $0.key.rawValue < $1.key.rawValue }.map {
          Point(labels: [Label(.part, $0.key.rawValue)], value: .number($0.value ? 1 : 0))
        })
    ]
  }

  private static func log(_ dropped: UInt64) -> MetricFamily {
    MetricFamily(
      .counter, "pushscope_log_lines_dropped_total",
      "Lines of the collector's log that were not written, because nobody read them.",
      [Point(labels: [], value: .number(Double(dropped)))])
  }

  private typealias Label = MetricFamily.Label
  private typealias Point = MetricFamily.Point

  private static let prefix = "pushscope_notifications_"

  private var sortedSeries: [(key: SeriesMetrics.Key, value: SeriesMetrics)] {
    series.sorted { $0.key < $1.key }
  }

  private func notifications() -> [MetricFamily] {
    func counter(_ name: String, _ help: String, _ value: (SeriesMetrics) -> UInt64) -> MetricFamily {
      MetricFamily(
        .counter, "\(Self.prefix)\(name)_total", help,
        sortedSeries.map { Point(labels: $0.key.labels, value: .number(Double(value($0.value)))) })
    }
    return [
      counter("planned", "Notifications that came due; withdrawn plans do not.", \.planned),
      counter("sent", "Notifications that went onto the wire.", \.sent),
      counter(
        "unseen", "Delivered notifications that the device had not shown by the receipt deadline.", \.unseen),
      counter("duplicates", "Receipts for a notification after the first one.", \.duplicates),
    ]
  }

  private func verdictFamilies() -> [MetricFamily] {
    let states: [(state: NotificationState, label: MetricLabel?, help: String)] = [
      (.accepted, nil, "Settled: accepted by the provider, no receipt expected."),
      (.delivered, nil, "Settled: a receipt came within the deadline."),
      (.late, nil, "Settled: the first receipt came after the deadline."),
      (.lost, nil, "Settled: accepted, and no receipt until the deadline."),
      (.rejected, .status, "Settled: the provider answered with an error."),
      (.failed, .reason, "Settled: no answer, or no connection to be sent on."),
      (.missed, .reason, "Settled: planned and not sent."),
      (.interrupted, nil, "Settled: the collector ended before the outcome was known."),
    ]
    var families = states.map { state, label, help in
      MetricFamily(
        .counter, "\(Self.prefix)\(state.name)_total", help,
        sortedSeries.flatMap { key, series in
          series.verdicts.filter { $0.key.state == state }.sorted { $0.key.reason < $1.key.reason }.map {
            verdict, count in
            Point(
              labels: key.labels + (label.map { [Label($0, verdict.reason)] } ?? []),
              value: .number(Double(count)))
          }
        })
    }
    families.append(
      MetricFamily(
        .counter, "\(Self.prefix)corrections_total",
        "Verdicts that changed after they were counted, as by a late receipt.",
        sortedSeries.flatMap { key, series in
          series.corrections.sorted { $0.key < $1.key }.map { correction, count in
            Point(
              labels: key.labels + [Label(.from, correction.from.name), Label(.to, correction.to.name)],
              value: .number(Double(count)))
          }
        }))
    return families
  }

  private func distributionFamilies() -> [MetricFamily] {
    SeriesMetrics.Interval.allCases.map { interval in
      MetricFamily(
        .histogram, "pushscope_\(interval.rawValue)_seconds", interval.help,
        sortedSeries.compactMap { key, series in
          series.distributions[interval].map { Point(labels: key.labels, value: .distribution($0)) }
        })
    }
  }

  private func gauges(at now: WallTime) -> [MetricFamily] {
    let sorted = targets.sorted { $0.key < $1.key }
    func gauge(_ name: String, _ help: String, _ value: (Target) -> Double?) -> MetricFamily {
      MetricFamily(
        .gauge, "pushscope_\(name)", help,
        sorted.compactMap { name, target in
          value(target).map { Point(labels: [Label(.target, name)], value: .number($0)) }
        })
    }
    return [
      gauge("connected", "1 while a connection to the target's service is open.") {
        $0.connections.isEmpty ? 0 : 1
      },
      gauge("streams_in_flight", "Requests that were sent and are not answered.") { Double($0.inFlight) },
      gauge("connection_age_seconds", "Age of the connection that was opened last, of those that are open.") {
        $0.connections.values.max().map { max(.zero, now - $0).inSeconds }
      },
      gauge(
        "rate_asked", "Notifications per second that the schedule asks for; 0 without a run.", \.askedRate),
      gauge("last_accepted_timestamp_seconds", "When the provider accepted a notification last.") {
        $0.lastAccepted.map { Double($0.microseconds) / 1e6 }
      },
      gauge("last_delivered_timestamp_seconds", "When a device received a notification last.") {
        $0.lastDelivered.map { Double($0.microseconds) / 1e6 }
      },
      MetricFamily(
        .gauge, "pushscope_clock_offset_seconds", "How far a device's clock is ahead of this host's.",
        clockOffsets.sorted { $0.device < $1.device }.map {
          Point(labels: [Label(.device, $0.device)], value: .number(Double($0.offset) / 1e6))
        }),
    ]
  }

  private func collector(_ version: String) -> [MetricFamily] {
    func gauge(_ name: String, _ help: String, _ value: Double?) -> MetricFamily {
      MetricFamily(
        .gauge, "pushscope_\(name)", help, value.map { [Point(labels: [], value: .number($0))] } ?? [])
    }
    return [
      MetricFamily(
        .histogram, "pushscope_commit_seconds", "Duration of a commit to the store.",
        [Point(labels: [], value: .distribution(commits))]),
      gauge("store_bytes", "Size of the store's file and its write-ahead log.", store.bytes.map(Double.init)),
      gauge(
        "store_oldest_timestamp_seconds", "Planned time of the oldest notification in the store.",
        store.oldest.map { Double($0.microseconds) / 1e6 }),
      gauge(
        "log_pinned_seconds",
        "For how long a reader has kept the store's write-ahead log from being emptied; 0 while none does.",
        Double(store.logPinned.nanoseconds) / 1e9),
      gauge("ready", "1 while notifications can be sent.", isSendingPossible ? 1 : 0),
      MetricFamily(
        .counter, "pushscope_receipt_handshakes_failed_total",
        "TLS handshakes of clients with the receipt listener that failed, by the client's alert.",
        failedHandshakes.sorted { $0.key.rawValue < $1.key.rawValue }.map {
          Point(labels: [Label(.alert, $0.key.rawValue)], value: .number(Double($0.value)))
        }),
      gauge(
        "config_last_reload_successful", "1 if the configuration was valid when it was read last.",
        isReloadSuccessful ? 1 : 0),
      MetricFamily(
        .gauge, "pushscope_build_info", "Version of this collector.",
        [Point(labels: [Label(.version, version)], value: .number(1))]),
    ]
  }

  private func objectivesAndFindings() -> [MetricFamily] {
    func counter(_ name: String, _ help: String, _ value: (Objective) -> UInt64) -> MetricFamily {
      MetricFamily(
        .counter, "pushscope_objective_\(name)_total", help,
        objectives.map {
          Point(
            labels: [Label(.objective, $0.name), Label(.target, $0.target)],
            value: .number(Double(value($0))))
        })
    }
    return [
      counter("good", "Settled notifications with a value within the objective's limit.", \.good),
      counter("valid", "Settled notifications of the objective's target.", \.valid),
      MetricFamily(
        .gauge, "pushscope_finding_open", "Changes that were found and have not ended.",
        openFindings.sorted { $0.key < $1.key }.map {
          Point(
            labels: [Label(.target, $0.key.target), Label(.kind, $0.key.kind)],
            value: .number(Double($0.value)))
        }),
    ]
  }
}

extension SeriesMetrics.Key {
  fileprivate var labels: [MetricFamily.Label] {
    [MetricFamily.Label(.target, target), MetricFamily.Label(.variant, variant)]
  }
}
