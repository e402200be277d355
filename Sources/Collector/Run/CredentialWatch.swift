import Configuration
import Glibc

/// Notices that a file of a credential was replaced, by looking at it. Confined to one thread.
///
/// A file counts as replaced once it has stayed as it is for two looks, so that one that is being written is not read in the
/// middle.
struct CredentialWatch {
  /// The time between looks. As two looks and a reload have to pass, a replaced file is in use within 5 s.
  static let interval = Duration.milliseconds(1500)

  /// What tells one version of a file from another; `nil` for one that is missing.
  private struct Stamp: Equatable {
    let device: UInt
    let inode: UInt
    let size: Int
    let seconds: Int
    let nanoseconds: Int

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      device = UInt(status.st_dev)
      inode = UInt(status.st_ino)
      size = Int(status.st_size)
      seconds = status.st_mtim.tv_sec
      nanoseconds = status.st_mtim.tv_nsec
    }
  }

  /// The files as they were when they were last taken up.
  private var known: [String: Stamp?] = [:]
  /// The files as they were at the last look, where that differs.
  private var seen: [String: Stamp?] = [:]

  /// Polls the files.
  /// - Returns: those that were replaced, each version once; ascending.
  mutating func poll(_ paths: Set<String>) -> [String] {
    known = known.filter { paths.contains($0.key) }
    var replaced: [String] = []
    for path in paths.sorted() {
      let stamp = Stamp(path)
      guard let former = known[path] else {
        known[path] = stamp
        continue
      }
      guard stamp != former else {
        seen[path] = nil
        continue
      }
      // A file that is gone is being replaced, or stays away: there is nothing to read.
      if stamp != nil, let last = seen[path], last == stamp {
        known[path] = stamp
        seen[path] = nil
        replaced.append(path)
      } else {
        seen[path] = stamp
      }
    }
    return replaced
  }
}

extension PushscopeConfiguration {
  /// The files that can be taken up while the collector runs. Credentials of the service manager are copies that were made
  /// when the service started, and do not change.
  var watchedFiles: Set<String> {
    var paths = Set(targets.flatMap(\.credentialFiles))
    if let receipts = collector.receipts {
      paths.formUnion([receipts.certificateFile, receipts.keyFile.path, receipts.secretFile.path])
    }
    return paths.union(service?.credentialFiles ?? [])
  }

  /// Whether a credential comes from the service manager.
  var usesServiceCredentials: Bool {
    let files =
      [collector.receipts?.keyFile, collector.receipts?.secretFile, service?.identity?.keyFile]
      + [service?.authentication?.passwordFile]
    return files.contains { $0?.isServiceCredential == true }
      || targets.contains(where: \.usesServiceCredentials)
  }
}

extension TargetConfiguration {
  fileprivate var usesServiceCredentials: Bool {
    func isOne(_ reference: SecretReference?) -> Bool {
      if case .file(let file)? = reference { file.isServiceCredential } else { false }
    }
    switch settings {
    case .apns(let settings):
      if isOne(settings.deviceToken) { return true }
      switch settings.credentials {
      case .token(let key, _, _): return isOne(key)
      case .certificate(_, let key): return key.isServiceCredential
      }
    case .fcm(let settings): return isOne(settings.deviceToken) || isOne(settings.serviceAccount)
    case .webpush(let settings):
      if case .subscription(let reference) = settings.receiver, isOne(reference) { return true }
      return isOne(settings.credentials?.vapidKey)
    case .ntfy(let settings):
      switch settings.credentials {
      case .token(let token): return isOne(token)
      case .basic(_, let password): return isOne(password)
      case .anonymous: return false
      }
    case .http, .loopback: return false
    }
  }
}
