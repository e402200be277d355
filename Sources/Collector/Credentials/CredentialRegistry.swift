import Measurement
import Providers
import Transport

/// All credentials of a run and the targets that use them, one step at a time. Confined to one thread;
/// ``CredentialRenewer`` runs it, tests step it.
final class CredentialRegistry {
  /// A target whose providers hold a credential.
  struct Client: Sendable {
    var target: TargetID
    /// Makes the target's providers with a credential.
    var providers: @Sendable (_ credential: String) -> [any Provider]
    /// What to do about a refusal with a status and a reason, as a sentence for people.
    var advice: @Sendable (_ status: Int, _ reason: String) -> String = { _, _ in "" }
  }

  struct Item: Sendable {
    var source: any CredentialSource
    var rule: CredentialRule
    var clients: [Client]
  }

  private struct Entry {
    var item: Item
    var schedule: CredentialSchedule
    /// The number of the credential that was issued last.
    var serial: Int
    /// The last attempt failed, and the log says so.
    var isInTrouble = false
    /// It was refused, and the log says what to do.
    var isAdvised = false
    /// Why the last attempt failed, and whether all others will.
    var failure: (text: String, isFinal: Bool)?
  }

  private var entries: [Entry]
  private let clock: any HostClock
  private let replace: (CredentialedProviders, TargetID) -> Void
  private let tryAgain: (TargetID) -> Void
  private let post: ([Observation]) -> Void

  /// - Parameters:
  ///   - firstSerial: the number before that of the first credential; another registry of the same run has other numbers.
  ///   - replace: takes a target's new providers.
  ///   - tryAgain: told that a target is to try its refused credential once more.
  ///   - post: takes events and log lines.
  init(
    _ items: [Item], clock: any HostClock, seed: UInt64, firstSerial: Int = 0,
    replace: @escaping (CredentialedProviders, TargetID) -> Void,
    tryAgain: @escaping (TargetID) -> Void = { _ in },
    post: @escaping ([Observation]) -> Void
  ) {
    var seeds = SeededGenerator(seed: seed)
    // Those that need no network first: they do not wait for a slow token endpoint.
    entries = items.sorted { !$0.source.isRemote && $1.source.isRemote }.map {
      Entry(
        item: $0, schedule: CredentialSchedule(rule: $0.rule, seed: seeds.next()), serial: firstSerial)
    }
    self.clock = clock
    self.replace = replace
    self.tryAgain = tryAgain
    self.post = post
  }

  /// Whether there is nothing to renew.
  var isEmpty: Bool { entries.isEmpty }

  /// Whether every credential has been issued once.
  var isComplete: Bool { entries.allSatisfy { $0.schedule.issued != nil } }

  /// Why one will never be issued, if an issuer said so.
  var finalFailure: String? { entries.lazy.compactMap(\.failure).first(where: \.isFinal)?.text }

  /// The targets without a credential, with the reason.
  var missing: [MissingCredential] {
    entries.filter { $0.schedule.issued == nil }.flatMap { entry in
      let reason = entry.failure?.text ?? "no \(entry.item.source.name): the issuer has not answered"
      return entry.item.clients.map {
        MissingCredential(target: $0.target, providers: $0.providers(""), reason: reason)
      }
    }
  }

  /// Renews what is due, and has refused credentials tried again.
  /// - Returns: how long nothing is due; at most ``longestRest``, because the wall clock may be set at any moment.
  func step() -> Duration {
    for index in entries.indices where entries[index].schedule.isDue(at: CredentialInstant(reading: clock)) {
      renew(index)
    }
    let now = CredentialInstant(reading: clock)
    for index in entries.indices where entries[index].schedule.beginTrial(at: now) {
      for client in entries[index].item.clients { tryAgain(client.target) }
    }
    let next = entries.compactMap(\.schedule.nextLook).min() ?? now.elapsed + Self.longestRest
    return min(Self.longestRest, max(.milliseconds(10), next - now.elapsed))
  }

  static let longestRest = Duration.seconds(10)

  /// Forgets targets. A credential that no other target uses is not renewed any more.
  func drop(_ targets: Set<TargetID>) {
    for index in entries.indices { entries[index].item.clients.removeAll { targets.contains($0.target) } }
    entries.removeAll { $0.item.clients.isEmpty }
  }

  /// Applies what a provider's answer says of a target's credential; of an earlier credential it says nothing.
  func record(_ feedback: CredentialFeedback) {
    guard let (index, client) = entry(of: feedback.target, serial: feedback.serial) else { return }
    switch feedback.outcome {
    case .refused(let status, let reason): handleRefused(index, client, status, reason)
    case .accepted: handleAccepted(index)
    }
  }

  /// Nothing is sent to the target any more, until it is given another credential or told to try this one again.
  private func handleRefused(_ index: Int, _ client: Client, _ status: Int, _ reason: String) {
    let now = CredentialInstant(reading: clock)
    guard let course = entries[index].schedule.recordRefusal(at: now) else { return }
    let entry = entries[index]
    let name = entry.item.source.name
    let answer = reason.isEmpty ? "\(status)" : "\(status) \(reason)"
    switch course {
    case .renew: say("\(answer): nothing is sent before there is a new \(name)", .warning, entry)
    case .pause(let end):
      let age = LengthText.text(entry.schedule.age(at: now) ?? .zero)
      let advice = client.advice(status, reason)
      say(
        "\(answer) for the \(name) of \(age) ago: nothing is sent for "
          + "\(LengthText.text(end - now.elapsed)), then one notification is tried"
          + (advice.isEmpty ? "" : "; \(advice)"), entry.isAdvised ? nil : .error, entry)
      entries[index].isAdvised = true
    }
  }

  /// The provider accepted the credential that it had refused, or the next one.
  private func handleAccepted(_ index: Int) {
    entries[index].schedule.recordAccepted()
    if entries[index].isAdvised {
      entries[index].isAdvised = false
      log(.notice, "the \(entries[index].item.source.name) is accepted again", entries[index])
    }
  }

  /// The credential with that number, if it is still in use.
  private func entry(of target: TargetID, serial: Int) -> (Int, Client)? {
    for (index, entry) in entries.enumerated() where entry.serial == serial {
      if let client = entry.item.clients.first(where: { $0.target == target }) { return (index, client) }
    }
    return nil
  }

  /// Posts an event for every target that shares the credential, and a log line if there is a level.
  private func say(_ detail: String, _ level: LogLine.Level?, _ entry: Entry) {
    post(
      entry.item.clients.map {
        .event(Event(at: clock.wallNow(), kind: .retryAfter, target: $0.target, detail: detail))
      })
    if let level { log(level, detail, entry) }
  }

  private func renew(_ index: Int) {
    let isFirst = entries[index].schedule.issued == nil
    let source = entries[index].item.source
    let outcome = source.issue(at: clock.wallNow())
    let now = CredentialInstant(reading: clock)
    switch outcome {
    case .issued(let value, let lifetime, let took):
      entries[index].schedule.recordIssued(lifetime: lifetime, at: now)
      entries[index].isInTrouble = false
      entries[index].failure = nil
      entries[index].serial += 1
      for client in entries[index].item.clients {
        replace(
          CredentialedProviders(providers: client.providers(value), serial: entries[index].serial),
          client.target)
      }
      let word = isFirst ? "made" : "renewed"
      let detail = "\(source.name) \(word)\(took.isEmpty ? "" : " in \(took)")"
      post(
        entries[index].item.clients.map {
          .event(Event(at: clock.wallNow(), kind: .tokenRefreshed, target: $0.target, detail: detail))
        })
    case .failed(let reason, let isFinal, let retryAfter):
      entries[index].schedule.recordFailure(retryAfter: retryAfter, at: now)
      entries[index].failure = ("no \(source.name): \(reason)", isFinal)
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

/// A target whose first credential has not been issued.
struct MissingCredential: Sendable {
  var target: TargetID
  /// The target's providers without a credential; nothing is sent by them.
  var providers: [any Provider]
  /// The reason as text for people.
  var reason: String
}
