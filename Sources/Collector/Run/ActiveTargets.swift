import Configuration
import FoundationEssentials
import Measurement
import Store

/// What a run sends to at present: each target with its configuration, and which of its configurations in this run it is.
struct ActiveTargets: Sendable {
  struct Entry: Sendable {
    var id: TargetID
    var variants: [VariantID]
    var target: TargetBuilder
    /// The configuration's number, counted from 0; a reload that changes the target increments it.
    var generation = 0
  }

  private(set) var entries: [Entry] = []
  /// The generation of the newest reload that changed a target.
  private(set) var generation = 0

  init(_ entries: [Entry] = []) { self.entries = entries }

  /// What a reload changes.
  func changes(to targets: [TargetBuilder], isSecretNew: Bool) -> TargetChanges {
    var changes = TargetChanges()
    let present = Dictionary(
      entries.map { ($0.target.configuration.name, $0) }, uniquingKeysWith: { first, _ in first })
    for target in targets {
      guard let entry = present[target.configuration.name] else {
        changes.added.append(target)
        continue
      }
      if isSecretNew || !entry.target.isSame(as: target) { changes.changed.append(target) }
    }
    let names = Set(targets.map(\.configuration.name))
    changes.removed = entries.filter { !names.contains($0.target.configuration.name) }
    return changes
  }

  /// Applies what a reload changed, with the ids that the store gave.
  /// - Returns: the targets that begin, or go on as something else.
  mutating func apply(_ changes: TargetChanges, _ registration: RunRegistration) -> [Entry] {
    generation += 1
    let ids = registration.byName
    var begun: [Entry] = []
    for target in changes.changed + changes.added {
      guard let registered = ids[target.configuration.name] else { continue }
      begun.append(
        Entry(id: registered.id, variants: registered.variants, target: target, generation: generation))
    }
    let gone = Set(changes.removed.map(\.id) + begun.map(\.id))
    entries.removeAll { gone.contains($0.id) }
    entries += begun
    return begun
  }
}

/// The targets that a reload begins, changes and ends.
struct TargetChanges: Sendable {
  var added: [TargetBuilder] = []
  var changed: [TargetBuilder] = []
  var removed: [ActiveTargets.Entry] = []

  var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }

  /// The changes as text for people: `targets changed: a, b`.
  var words: [String] {
    ReloadedTargets(
      changed: changed.map(\.configuration.name), begun: added.map(\.configuration.name),
      ended: removed.map(\.target.configuration.name)
    ).words
  }
}

/// The contents of the files that a target's credentials come from, to tell whether one was replaced.
struct CredentialContents: Sendable, Equatable {
  private let files: [String: [UInt8]]

  init(of paths: [String]) {
    files = Dictionary(
      paths.map { ($0, FileManager.default.contents(atPath: $0).map(Array.init) ?? []) },
      uniquingKeysWith: { first, _ in first })
  }
}

extension TargetConfiguration {
  /// The files that its credentials come from: keys, tokens, certificates, subscriptions.
  var credentialFiles: [String] {
    var paths = caFile.map { [$0] } ?? []
    func add(_ reference: SecretReference?) {
      if case .file(let file)? = reference { paths.append(file.path) }
    }
    switch settings {
    case .apns(let settings):
      add(settings.deviceToken)
      switch settings.credentials {
      case .token(let key, _, _): add(key)
      case .certificate(let certificate, let key): paths += [certificate, key.path]
      }
    case .fcm(let settings):
      add(settings.deviceToken)
      add(settings.serviceAccount)
    case .webpush(let settings):
      if case .subscription(let reference) = settings.receiver { add(reference) }
      add(settings.credentials?.vapidKey)
    case .ntfy(let settings):
      switch settings.credentials {
      case .token(let token): add(token)
      case .basic(_, let password): add(password)
      case .anonymous: break
      }
    case .http, .loopback: break
    }
    return paths
  }

  /// The same without what does not change how it sends: where it stands in the file.
  fileprivate var withoutPlaces: TargetConfiguration {
    var target = self
    target.places = .unknown
    return target
  }
}

extension TargetBuilder {
  /// Whether a target goes on as it is.
  func isSame(as other: TargetBuilder) -> Bool {
    configuration.withoutPlaces == other.configuration.withoutPlaces && contents == other.contents
  }
}
