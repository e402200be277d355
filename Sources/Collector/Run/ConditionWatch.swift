import Configuration
import Cryptography
import FoundationEssentials
import Glibc
import Measurement
import Store

/// Notes in the store what `pushscope status` warns of before it happens: certificates that end, a disk that fills up. Confined to the
/// thread of ``StoreMaintenance``.
struct ConditionWatch {
  /// The time between looks.
  static let interval = Duration.minutes(10)
  /// The disk's free space is noted once a day, for so many days.
  private static let diskDays: Int64 = 8
  private static let day: Int64 = 86_400_000_000

  private let store: CollectorStore
  private let clock: any HostClock
  private let certificates: () -> [CertificateFile]
  private var lookedAt: MonotonicTime?
  private var noted: [Condition] = []

  /// A file with a certificate that the collector shows, and who shows it, in words.
  struct CertificateFile: Equatable {
    var shownBy: String
    var path: String
  }

  /// - Parameter certificates: those of the configuration as it is now.
  init(_ store: CollectorStore, clock: any HostClock, certificates: @escaping () -> [CertificateFile]) {
    (self.store, self.clock, self.certificates) = (store, clock, certificates)
  }

  /// Looks, if that is due.
  /// - Throws: ``StoreError``.
  mutating func look() throws {
    let (now, wall) = (clock.monotonicNow(), clock.wallNow())
    if let lookedAt, now - lookedAt < Self.interval { return }
    let isFirst = lookedAt == nil
    if isFirst {
      try store.replace(.collector, by: [Condition(.collector, since: wall, detail: "\(getpid())")])
    }
    let found = certificates().compactMap(Self.condition)
    if isFirst || found != noted { try store.replace(.certificate, by: found) }
    noted = found
    try noteDisk(at: wall)
    try store.forgetDevices(at: wall)
    lookedAt = now
  }

  /// `nil` for a file that cannot be read: who needs it says so.
  private static func condition(_ file: CertificateFile) -> Condition? {
    guard let bytes = FileManager.default.contents(atPath: file.path),
      let certificate = try? Certificate(pem: String(decoding: bytes, as: UTF8.self))
    else { return nil }
    return Condition(
      .certificate, file.shownBy, since: WallTime(seconds: certificate.begins),
      until: WallTime(seconds: certificate.ends), detail: file.path)
  }

  private func noteDisk(at now: WallTime) throws {
    guard let space = store.diskSpace() else { return }
    let known = try store.conditions(.disk).filter {
      (0..<Self.diskDays * Self.day).contains(Self.age(of: $0, at: now))
    }
    guard !known.contains(where: { Self.age(of: $0, at: now) < Self.day }) else { return }
    let today = Condition(.disk, String(now.rfc3339.prefix(10)), since: now, detail: "\(space.free)")
    try store.replace(.disk, by: known + [today])
  }

  /// µs.
  private static func age(of condition: Condition, at now: WallTime) -> Int64 {
    (now - condition.since).microseconds
  }
}

extension PushscopeConfiguration {
  /// The certificates that the collector shows to devices, browsers and push services.
  var shownCertificates: [ConditionWatch.CertificateFile] {
    var files: [ConditionWatch.CertificateFile] = []
    if let receipts = collector.receipts {
      files.append(.init(shownBy: "the receipt listener", path: receipts.certificateFile))
    }
    if let identity = service?.identity {
      files.append(.init(shownBy: "the web endpoint", path: identity.certificateFile))
    }
    for target in targets {
      if case .apns(let settings) = target.settings,
        case .certificate(let file, _) = settings.credentials
      {
        files.append(.init(shownBy: target.name, path: file))
      }
    }
    return files
  }
}
