import Measurement
import Store

/// What a store's conditions say to a person, in sentences of `pushscope status`; those that need nobody are not said.
enum ConditionWords {
  /// A device that was heard before is told of after this silence.
  private static let deviceSilence = Duration.days(3)
  /// A backup that is older is told of.
  private static let backupAge = Duration.days(7)
  /// A disk that is full later is not told of, in days.
  private static let diskNotice = 60
  /// Names of silent devices.
  private static let named = 3

  /// All that needs a hand.
  ///
  /// - Parameters:
  ///   - isRunning: whether a collector runs; one that ends writes the log into the store.
  ///   - collectingSince: when the run began that is being recorded; `nil` while none is.
  ///   - space: of the store's disk.
  static func needs(
    _ conditions: [Condition], isRunning: Bool, collectingSince: WallTime?, left: Set<String>,
    space: DiskSpace?, at now: WallTime
  ) -> [String] {
    let disk = space.flatMap { diskIsFull(conditions, $0, at: now) }
    return conditions.compactMap {
      CertificateWords($0, at: now)?.text ?? (isRunning ? sync($0, at: now) : nil)
    }
      + [
        disk, collectingSince.flatMap { devices(conditions, since: $0, left: left, at: now) },
        conditions.last { $0.kind == .backup }.flatMap { backup($0, at: now) },
      ].compactMap { $0 }
  }

  /// What was recorded is there for every reader; only the disk does not have it.
  private static func sync(_ condition: Condition, at now: WallTime) -> String? {
    guard condition.kind == .sync else { return nil }
    let length = LengthText.text(max(.zero, now - condition.since))
    return
      "the disk has not taken what is recorded for \(length) (\(EscapedText.make(condition.detail))): a power failure would cost it"
  }

  /// `device tablet not heard for 3 d 2 h`. What came before the run began says nothing: nobody listened in between.
  private static func devices(
    _ conditions: [Condition], since start: WallTime, left: Set<String>, at now: WallTime
  )
    -> String?
  {
    let silent = conditions.filter { $0.kind == .device && !left.contains($0.subject) }
      .map { (name: $0.subject, length: now - max($0.since, start)) }
      .filter { $0.length >= deviceSilence }.sorted { ($0.length, $0.name) < ($1.length, $1.name) }
    guard let shortest = silent.first else { return nil }
    let names = ListText.first(named, of: silent.map { EscapedText.make($0.name) })
    let least = silent.count > 1 ? "at least " : ""
    return
      "\(silent.count == 1 ? "device" : "devices") \(names) not heard for \(least)\(LengthText.text(shortest.length))"
  }

  /// `disk full in about 40 days`, by how its free space went down since it was noted first, a day ago at least; `nil` where it will last.
  private static func diskIsFull(_ conditions: [Condition], _ space: DiskSpace, at now: WallTime) -> String? {
    guard let first = conditions.filter({ $0.kind == .disk }).min(by: { $0.since < $1.since }),
      let before = Int64(first.detail)
    else { return nil }
    let (age, day) = (now - first.since, Duration.days(1))
    guard age >= day, before > space.free else { return nil }
    let days = Double(space.free) / (Double(before - space.free) / (age / day))
    guard days >= 1 else { return "disk full within a day" }
    return days < Double(diskNotice) ? "disk full in about \(CountText.text(Int(days), "day"))" : nil
  }

  private static func backup(_ condition: Condition, at now: WallTime) -> String? {
    let age = now - condition.since
    guard age > backupAge else { return nil }
    return "the last backup is \(LengthText.text(age)) old (\(EscapedText.make(condition.detail)))"
  }

  /// `the collector has been running since 2026-11-17 08:00 UTC; every part works`.
  ///
  /// - Parameters:
  ///   - failed: what does not work; said in words elsewhere.
  ///   - isDiskFull: whether nothing can be recorded.
  static func running(since start: WallTime, failed: [FailedPart], isDiskFull: Bool, _ clock: SentenceClock)
    -> String
  {
    let parts =
      failed.isEmpty
      ? "every part works"
      : "\(CountText.text(failed.count, "part")) of it \(failed.count == 1 ? "does" : "do") not work"
    return
      "the collector has been running since \(clock.moment(start)); \(isDiskFull ? "it cannot record" : parts)"
  }
}
