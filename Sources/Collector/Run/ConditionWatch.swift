import Analysis
import Glibc
import Measurement
import Store

/// Records in the store what `pushscope status` warns of: certificates that end, a disk that fills up or does not take what is written.
/// Confined to the thread of ``StoreMaintenance``.
struct ConditionWatch {
  /// The time between looks at the disk and the devices.
  static let interval = Duration.minutes(10)
  /// The time between looks at the certificates: a new one is taken within seconds.
  static let certificateInterval = Duration.seconds(10)
  /// The disk's free space is noted once a day, and kept for so long.
  private static let diskHistory = Duration.days(8)

  private let store: CollectorStore
  private let clock: any HostClock
  private let certificates: () -> [ShownCertificate]
  private let onLine: (String) -> Void
  private var lookedAt: MonotonicTime?
  private var certificatesReadAt: MonotonicTime?
  private var noted: [Condition] = []
  /// What the log has said of each certificate, by its path.
  private var reported: [String: CertificateWords.State] = [:]
  /// The stored condition: since when and why the log cannot be synced.
  private var syncFailure: Condition?

  /// - Parameters:
  ///   - certificates: those of the configuration as it is now.
  ///   - onLine: told of certificates that are not valid, or end soon, once of each.
  init(
    _ store: CollectorStore, clock: any HostClock, certificates: @escaping () -> [ShownCertificate],
    onLine: @escaping (String) -> Void
  ) {
    (self.store, self.clock, self.certificates, self.onLine) = (store, clock, certificates, onLine)
  }

  /// Looks, if that is due.
  /// - Throws: ``StoreError``.
  mutating func poll() throws {
    let (now, wall) = (clock.monotonicNow(), clock.wallNow())
    if certificatesReadAt.map({ now - $0 >= Self.certificateInterval }) ?? true {
      try readCertificates(at: wall)
      certificatesReadAt = now
    }
    if let lookedAt, now - lookedAt < Self.interval { return }
    if lookedAt == nil {
      let collector = Condition(.collector, since: wall, detail: "\(getpid())")
      try store.replace(.collector, .sync, by: [collector] + (syncFailure.map { [$0] } ?? []))
    }
    try recordDisk(at: wall)
    try store.forgetDevices(at: wall)
    lookedAt = now
  }

  private mutating func readCertificates(at now: WallTime) throws {
    let found = certificates().compactMap(\.condition)
    if certificatesReadAt == nil || found != noted { try store.replace(.certificate, by: found) }
    noted = found
    for certificate in found { report(certificate, at: now) }
  }

  private mutating func report(_ certificate: Condition, at now: WallTime) {
    guard let words = CertificateWords(certificate, at: now),
      reported.updateValue(words.state, forKey: certificate.detail) != words.state
    else { return }
    if let line = words.line { onLine(line) }
  }

  /// Stores since when the write-ahead log cannot be synced, and why.
  /// - Parameter result: whether there was anything to sync.
  /// - Throws: ``StoreError``; the next call tries again.
  mutating func record(sync result: Result<Bool, any Error>) throws {
    let failure: Condition?
    switch result {
    case .success(false): return
    case .success(true): failure = nil
    case .failure(let error):
      failure = Condition(
        .sync, since: syncFailure?.since ?? clock.wallNow(),
        detail: (error as? StoreError)?.detail ?? "\(error)")
    }
    guard failure != syncFailure else { return }
    try store.replace(.sync, by: failure.map { [$0] } ?? [])
    syncFailure = failure
  }

  private func recordDisk(at now: WallTime) throws {
    guard let space = store.diskSpace() else { return }
    let known = try store.conditions(.disk).filter {
      (Duration.zero..<Self.diskHistory).contains(now - $0.since)
    }
    guard !known.contains(where: { now - $0.since < .days(1) }) else { return }
    let today = Condition(.disk, String(now.rfc3339.prefix(10)), since: now, detail: "\(space.free)")
    try store.replace(.disk, by: known + [today])
  }
}
