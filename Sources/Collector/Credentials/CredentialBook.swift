import Measurement
import Providers

/// All credentials of a run and who sends by them, one step at a time. Confined to the keeper's thread; tests step it.
final class CredentialBook {
  /// A target whose providers hold a credential.
  struct Client: Sendable {
    var target: TargetID
    /// The target's providers with this credential in them.
    var providers: @Sendable (_ credential: String) -> [any Provider]
  }

  struct Item: Sendable {
    var source: any CredentialSource
    var rule: CredentialRule
    var clients: [Client]
  }

  private struct Entry {
    var item: Item
    var schedule: CredentialSchedule
    var isInTrouble = false
    var finalFailure: String?
  }

  private var entries: [Entry]
  private let clock: any HostClock
  private let replace: ([any Provider], TargetID) -> Void
  private let post: ([Observation]) -> Void

  /// - Parameters:
  ///   - replace: told of a target's new providers.
  ///   - post: takes events and log lines.
  init(
    _ items: [Item], clock: any HostClock, seed: UInt64,
    replace: @escaping ([any Provider], TargetID) -> Void,
    post: @escaping ([Observation]) -> Void
  ) {
    var seeds = SeededGenerator(seed: seed)
    // What takes no network first: nobody waits for a slow token endpoint who does not need it.
    entries = items.sorted { !$0.source.isRemote && $1.source.isRemote }.map {
      Entry(item: $0, schedule: CredentialSchedule(rule: $0.rule, seed: seeds.next()))
    }
    self.clock = clock
    self.replace = replace
    self.post = post
  }

  /// Whether every target has had its first credential.
  var isComplete: Bool { entries.allSatisfy { $0.schedule.issued != nil } }

  /// Why one will never come, if an issuer said so; what is wrong with the first that is missing otherwise.
  private(set) var lastFailure: String?
  var finalFailure: String? { entries.lazy.compactMap(\.finalFailure).first }

  /// Renews what is due.
  /// - Returns: how long there is nothing to do by time alone; at most ``longestRest``, because the wall clock may be
  ///   set at any moment.
  func step() -> Duration {
    for index in entries.indices where entries[index].schedule.isDue(at: CredentialInstant(reading: clock)) {
      renew(index)
    }
    let now = CredentialInstant(reading: clock)
    let next = entries.compactMap(\.schedule.nextLook).min() ?? now.elapsed + Self.longestRest
    return min(Self.longestRest, max(.milliseconds(10), next - now.elapsed))
  }

  static let longestRest = Duration.seconds(10)

  /// A provider answered that it does not take a target's credential.
  func noteRefusal(of target: TargetID) {
    let now = CredentialInstant(reading: clock)
    for index in entries.indices where entries[index].item.clients.contains(where: { $0.target == target }) {
      if entries[index].schedule.noteRefusal(at: now) {
        log(
          .warning, "the \(entries[index].item.source.name) was refused; a new one is asked for",
          entries[index])
      }
    }
  }

  private func renew(_ index: Int) {
    let isFirst = entries[index].schedule.issued == nil
    let source = entries[index].item.source
    let outcome = source.issue(at: clock.wallNow())
    let now = CredentialInstant(reading: clock)
    switch outcome {
    case .issued(let value, let lifetime, let took):
      entries[index].schedule.noteIssued(lifetime: lifetime, at: now)
      entries[index].isInTrouble = false
      entries[index].finalFailure = nil
      for client in entries[index].item.clients { replace(client.providers(value), client.target) }
      let word = isFirst ? "made" : "renewed"
      let detail = "\(source.name) \(word)\(took.isEmpty ? "" : " in \(took)")"
      post(
        entries[index].item.clients.map {
          .event(Event(at: now.wall, kind: .tokenRefreshed, target: $0.target, detail: detail))
        })
    case .failed(let reason, let isFinal, let retryAfter):
      entries[index].schedule.noteFailure(retryAfter: retryAfter, at: now)
      lastFailure = "no \(source.name): \(reason)"
      if isFinal { entries[index].finalFailure = lastFailure }
      guard !entries[index].isInTrouble else { return }
      entries[index].isInTrouble = true
      log(.error, "no new \(source.name): \(reason); tried again", entries[index])
    }
  }

  private func log(_ level: LogLine.Level, _ message: String, _ entry: Entry) {
    post(
      entry.item.clients.map {
        .log(
          LogLine(
            at: clock.wallNow(), level: level, target: $0.target, label: "credentials", message: message))
      })
  }
}
