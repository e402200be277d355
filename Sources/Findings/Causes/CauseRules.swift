import Glibc
import Measurement

/// The rules by which the evidence of all targets in an episode gives causes.
struct CauseRules: Sendable {
  /// A family of evidence: what one rule looks at.
  enum Family: Hashable, CaseIterable {
    case failed, refused, lost, fresh, lag, service, transit, display
  }

  let targets: [TargetEvidence]
  private let pings: PathEvidence
  private let providers: [String]
  private let stall: HostStall
  private let quantiles: TestedQuantiles
  private let subject: Diagnosis.Subject?

  init(_ episode: Episode, of subject: Diagnosis.Subject?) {
    stall = HostStall(episode)
    let quantiles = TestedQuantiles(subject?.quantile)
    (self.quantiles, self.subject) = (quantiles, subject)
    targets = episode.targets.map {
      TargetEvidence($0, episode, of: subject?.metric, at: subject?.quantile)
    }
    providers = Set(episode.targets.map(\.provider)).sorted()
    pings = PathEvidence(episode, at: quantiles)
  }

  /// What a stall of this host makes look slow: while it stands still, answers and receipts of all providers are looked at late.
  var hiddenByStall: Set<Family> {
    guard stall.isClear else { return [] }
    return Set((isEverywhere(slowService) ? [.service] : []) + (isEverywhere(slowTransit) ? [.transit] : []))
  }

  /// Whether targets of all providers are affected, of two or more.
  private func isEverywhere(_ affected: Set<Int>) -> Bool {
    providers.count >= 2 && providers(of: affected).count == providers.count
  }

  /// The targets whose service, or transit, rose and carries their rise.
  private var slowService: Set<Int> { scope { $0.carries(.service) ? $0.openService.z : 0 } }
  private var slowTransit: Set<Int> {
    scope { $0.carries(.transit) && !$0.isTransitExplained ? $0.transit.z : 0 }
  }

  // MARK: - Scope

  /// The targets that evidence concerns: one clearly (4), or a group of a provider's or a device's together (5); then all
  /// whose own evidence supports it (2).
  private func scope(_ z: (TargetEvidence) -> Double) -> Set<Int> {
    let values = targets.map(z)
    func together(_ group: [Int]) -> Bool {
      group.count > 1 && group.reduce(0) { $0 + values[$1] } / Double(group.count).squareRoot() >= 5
    }
    let groups =
      [Array(targets.indices)] + providers.map(ofProvider)
      + Set(targets.map(\.target.device)).sorted().map(ofDevice)
    guard values.contains(where: { $0 >= 4 }) || groups.contains(where: together) else { return [] }
    return Set(values.indices.filter { values[$0] >= 2 })
  }

  private func ofProvider(_ provider: String) -> [Int] {
    targets.indices.filter { targets[$0].target.provider == provider }
  }

  private func ofDevice(_ device: String) -> [Int] {
    targets.indices.filter { targets[$0].target.device == device }
  }

  /// Three quarters of a group, at least one.
  private func covers(_ affected: Set<Int>, _ group: [Int]) -> Bool {
    let needed = max(1, Int((0.75 * Double(group.count)).rounded(.up)))
    return !group.isEmpty && group.count(where: affected.contains) >= needed
  }

  // MARK: - Rules

  /// The verdict of the first rule that applies, in their order, without those of some families of evidence.
  func next(without skipped: Set<Family>) -> (Verdict, Family)? {
    let rules: [(Family, () -> Verdict?)] = [
      (.failed, failures), (.refused, refusals), (.lost, losses), (.fresh, freshConnections),
      (.lag, { self.ownQueue(hidesService: skipped.contains(.service)) }), (.service, serviceTime),
      (.transit, transit), (.display, display),
    ]
    for (family, rule) in rules where !skipped.contains(family) {
      if let verdict = rule() { return (verdict, family) }
    }
    return nil
  }

  private func verdict(
    _ cause: Cause, _ scope: String?, _ affected: Set<Int>, _ evidence: String, wouldDecide: String? = nil
  ) -> Verdict {
    Verdict(
      cause: cause, scope: scope, evidence: evidence, wouldDecide: wouldDecide,
      targets: affected.map { targets[$0].target.name }.sorted(), facts: facts(affected))
  }

  private func facts(_ affected: Set<Int>) -> CauseDetails {
    var facts = CauseDetails()
    func unchanged(_ leg: (TargetEvidence) -> LatencyChange) -> Bool? {
      affected.allSatisfy { leg(targets[$0]).count > 0 }
        ? affected.allSatisfy { leg(targets[$0]).isUnchanged } : nil
    }
    facts.isSentOnTime = unchanged(\.lag)
    facts.isAcceptedAsBefore = unchanged(\.accept)
    let who = providers(of: affected)
    let paths = who.compactMap { pings[$0] }
    if paths.count == who.count {
      facts.isPathAsBefore = paths.allSatisfy(\.isUnchanged)
      if let only = paths.first, who.count == 1 { facts.roundTripRise = Int64(only.difference.rounded()) }
    }
    if let only = who.first, who.count == 1 {
      facts.devices = Set(affected.map { targets[$0].target.device }).count
      facts.allDevices = Set(ofProvider(only).map { targets[$0].target.device }).count
    }
    facts.provider = own(affected).map { targets[$0].target.provider }
    facts.isDeviceWellElsewhere = isDeviceWellElsewhere(affected)
    let failures = affected.reduce(into: [:]) { sum, index in
      sum.merge(targets[index].failures, uniquingKeysWith: +)
    }
    let all = failures.values.reduce(0, +)
    facts.failure = failures.first { $0.value * 2 > all }?.key
    facts.status = affected.reduce(into: Refusals()) { $0 += targets[$1].refusals }.status
    return facts
  }

  private func providers(of affected: Set<Int>) -> [String] {
    Set(affected.map { targets[$0].target.provider }).sorted()
  }

  /// The finding's own target among the affected ones.
  private func own(_ affected: Set<Int>) -> Int? {
    subject.flatMap { subject in affected.first { targets[$0].target.name == subject.target } }
  }

  /// The targets by which other providers reach the device of the finding's target, or without a finding the affected devices.
  private func others(_ affected: Set<Int>) -> [Int] {
    let mine = own(affected).map { [$0] } ?? Array(affected)
    let devices = Set(mine.map { targets[$0].target.device })
    let providers = Set(mine.map { targets[$0].target.provider })
    return targets.indices.filter {
      !providers.contains(targets[$0].target.provider) && devices.contains(targets[$0].target.device)
    }
  }

  private func isDeviceWellElsewhere(_ affected: Set<Int>) -> Bool? {
    let others = others(affected)
    guard !others.isEmpty else { return nil }
    if others.contains(where: affected.contains) { return false }
    return others.allSatisfy(isWell) ? true : nil
  }

  /// Whether a target's notifications arrive as before, as far as that is known.
  private func isWell(_ index: Int) -> Bool {
    let target = targets[index]
    return target.transit.count >= Self.fewestReceipts && target.transit.isUnchanged && target.lost < 2
  }

  /// Fewer receipts do not say that notifications arrive as before.
  private static let fewestReceipts = 20

  /// What tells a provider from a device, where one device or one provider cannot.
  private func wouldDecide(_ affected: Set<Int>, both: Bool) -> String {
    let device = "a second device of the provider"
    return others(affected).isEmpty
      ? "\(device) \(both ? "and" : "or") a second provider on the device" : device
  }

  private func failures() -> Verdict? {
    let affected = scope(\.failed)
    guard !affected.isEmpty else { return nil }
    let who = providers(of: affected)
    let share = mean(affected) { $0.failureShares.now }
    let before = mean(affected) { $0.failureShares.before }
    let numbers = "failed \(PercentText.fine(before)) → \(PercentText.fine(share)) of planned"
    if providers.count >= 2, who.count == providers.count,
      providers.allSatisfy({ covers(affected, ofProvider($0)) })
    {
      return verdict(.uplink, nil, affected, "\(numbers), with all \(providers.count) providers")
    }
    guard who.count == 1, let provider = who.first else {
      return verdict(
        .undecided(.failuresOfSeveral), who.joined(separator: ", "), affected,
        "\(numbers), with \(who.count) of \(providers.count) providers",
        wouldDecide: "what the providers that fail share")
    }
    return verdict(
      .undecided(.pathOrProvider), provider, affected, "\(numbers), with \(provider) only",
      wouldDecide: "the provider reached from another network")
  }

  private func refusals() -> Verdict? {
    let affected = scope(\.refused)
    guard !affected.isEmpty else { return nil }
    let who = providers(of: affected)
    let sum = affected.reduce(into: Refusals()) { $0 += targets[$1].refusals }
    func verdict(_ cause: Cause, _ scope: String?, by whom: String, wouldDecide: String? = nil) -> Verdict {
      var verdict = self.verdict(cause, scope, affected, sum.words(by: whom), wouldDecide: wouldDecide)
      verdict.refusals = affected.map { index in
        let own = targets[index].refusals
        return Verdict.Refusals(
          target: targets[index].target.name, refused: own.refused, notSent: own.notSent)
      }.sorted { $0.target < $1.target }
      return verdict
    }
    guard who.count == 1, let provider = who.first else {
      return verdict(
        .undecided(.refusalsOfSeveral), who.joined(separator: ", "),
        by: "\(who.count) providers", wouldDecide: "the reasons given, provider by provider")
    }
    return switch sum.reason {
    case .throttled: verdict(.throttled, provider, by: provider)
    case .credential: verdict(.credentials, provider, by: provider)
    case .errors: verdict(.providerErrors, provider, by: provider)
    case nil:
      verdict(
        .undecided(.severalRefusals), provider, by: provider,
        wouldDecide: "the reasons that \(provider) gives")
    }
  }

  private func losses() -> Verdict? {
    let affected = scope(\.lost)
    guard !affected.isEmpty else { return nil }
    let numbers =
      "lost \(PercentText.fine(mean(affected) { $0.lossShares.before })) → \(PercentText.fine(mean(affected) { $0.lossShares.now })) of accepted"
    for provider in providers(of: affected) {
      let group = ofProvider(provider)
      let devices = Set(group.map { targets[$0].target.device })
      if devices.count >= 2, providers.count >= 2, covers(affected, group), affected.isSubset(of: group) {
        return verdict(
          .providerLoss, provider, affected,
          "\(numbers) on \(affected.count) of \(group.count) targets of \(provider), others well")
      }
    }
    for device in Set(affected.map({ targets[$0].target.device })).sorted() {
      let group = ofDevice(device)
      if Set(group.map { targets[$0].target.provider }).count >= 2, covers(affected, group),
        affected.isSubset(of: group), group.count < targets.count
      {
        return verdict(
          .device, device, affected, "\(numbers) on \(device) over several providers, other devices well")
      }
    }
    let isAccepted =
      scope(\.failed).isEmpty && scope(\.openService.z).isEmpty && scope(\.openLag.z).isEmpty
    if providers.count >= 2, covers(affected, Array(targets.indices)), isAccepted {
      return verdict(
        .receipts, nil, affected,
        "\(numbers) on \(affected.count) of \(targets.count) targets of \(providers.count) providers, acceptance unchanged"
      )
    }
    return verdict(
      .undecided(.lossPlace), nil, affected, numbers,
      wouldDecide: wouldDecide(affected, both: true))
  }

  /// What happens after a device received a notification is the device's.
  private func display() -> Verdict? {
    // Of a finding's own kind: another device may show late while this one shows nothing.
    let unseen = subject?.metric == .display ? [] : scope(\.unseen)
    let slow = subject?.metric == .unseen ? [] : scope(\.display.z)
    let affected = unseen.union(slow)
    guard !affected.isEmpty else { return nil }
    var signs: [String] = []
    if !unseen.isEmpty {
      let before = mean(unseen) { $0.unseenShares.before }
      let now = mean(unseen) { $0.unseenShares.now }
      signs.append("not shown \(PercentText.fine(before)) → \(PercentText.fine(now)) of delivered")
    }
    if !slow.isEmpty { signs.append("received to shown \(tail(slow, \.display))") }
    let devices = Set(affected.map { targets[$0].target.device }).sorted()
    return verdict(.display, devices.joined(separator: ", "), affected, signs.joined(separator: ", "))
  }

  private func freshConnections() -> Verdict? {
    let affected = scope(\.fresh)
    let slow = affected.filter { max(targets[$0].lag.z, targets[$0].service.z) >= 4 }
    guard !slow.isEmpty,
      !slow.contains(where: { max(targets[$0].openLag.z, targets[$0].openService.z) >= 4 })
    else { return nil }
    return verdict(
      .connecting, providers(of: slow).joined(separator: ", "), slow,
      "more notifications open a connection and wait for it; on open connections lag and service are unchanged"
    )
  }

  private func ownQueue(hidesService: Bool) -> Verdict? {
    let affected = scope { max($0.carries(.lag) ? $0.openLag.z : 0, $0.heldBack) }
    guard !affected.isEmpty else { return nil }
    let service = hidesService ? [] : slowService
    let who = providers(of: affected)
    // First what speaks for it.
    var signs: [String] = []
    if !scope(\.heldBack).isEmpty {
      let before = mean(affected) { $0.heldShares.before }
      let now = mean(affected) { $0.heldShares.now }
      signs.append(
        "missed because sending was late \(PercentText.fine(before)) → \(PercentText.fine(now)) of planned")
    }
    signs.append("schedule lag \(tail(affected, \.openLag))")
    signs.append("service \(change(affected, \.openService))")
    let numbers = signs.joined(separator: ", ")
    if providers.count >= 2, who.count == providers.count, affected.count * 4 >= targets.count * 3 {
      guard isEverywhere(service) else {
        return verdict(.host, nil, affected, "\(numbers), with all \(providers.count) providers")
      }
      // Lag with service is its consequence, but for a stall: then it is the other way round.
      guard stall.isClear else { return nil }
      return verdict(
        .host, nil, affected,
        "\(numbers); \(PercentText.fine(stall.share)) of what waited left in bunches with that of other providers"
      )
    }
    // Lag with service is its consequence.
    guard affected.isDisjoint(with: service) else { return nil }
    if who.count >= 2 || providers.count == 1 {
      return verdict(.host, who.joined(separator: ", "), affected, numbers)
    }
    return verdict(
      .undecided(.queueOrProvider), who.first, affected, numbers,
      wouldDecide: "another provider sent to at the same rate")
  }

  private func serviceTime() -> Verdict? {
    let affected = slowService
    guard !affected.isEmpty else { return nil }
    let who = providers(of: affected)
    let numbers = "service \(change(affected, \.openService))"
    if providers.count >= 2, who.count == providers.count {
      let risen = providers.count { (pings[$0]?.z ?? 0) >= 3 }
      if risen >= max(2, providers.count - 1) {
        return verdict(
          .uplink, nil, affected, "\(numbers), PING up with \(risen) of \(providers.count) providers")
      }
      return verdict(
        .undecided(.serviceEverywhere), nil, affected,
        ([numbers] + providers.compactMap(pings.lack)).joined(separator: ", "),
        wouldDecide: pings.demand(of: providers) ?? "the providers reached from another network")
    }
    guard who.count == 1, let provider = who.first else {
      return verdict(
        .undecided(.serviceOfSeveral), who.joined(separator: ", "), affected,
        ([numbers] + who.compactMap(pings.lack)).joined(separator: ", "),
        wouldDecide: pings.demand(of: who) ?? "the providers reached from another network")
    }
    guard let ping = pings[provider] else {
      return verdict(
        .undecided(.pathOrProvider), provider, affected,
        ([numbers] + [pings.lack(of: provider)].compactMap { $0 }).joined(separator: ", "),
        wouldDecide: pings.demand(of: [provider]))
    }
    let rises = affected.map { targets[$0].openService.difference }.sorted()
    let rise = rises[rises.count / 2]
    let path =
      "PING \(Quantile.label(of: ping.quantile)) \(LatencyText.rounded(ping.before)) → \(LatencyText.rounded(ping.after))"
    if ping.z >= 3, ping.difference >= 0.5 * rise {
      return verdict(.path, provider, affected, "\(numbers), \(path)")
    }
    if ping.z < 2 || ping.difference < 0.25 * rise {
      let words = ping.z < 2 ? "path unchanged" : "little of it on the path"
      return verdict(.providerProcessing, provider, affected, "\(numbers), \(words) (\(path))")
    }
    return verdict(
      .undecided(.pathAndProvider), provider, affected, "\(numbers), \(path)",
      wouldDecide: "more round trips measured by the path probe, as a shorter path_probe makes")
  }

  private func transit() -> Verdict? {
    let affected = slowTransit
    guard !affected.isEmpty else { return nil }
    let answers = median(affected) { $0.accept.statedAfter }
    let accept =
      affected.allSatisfy { targets[$0].accept.isUnchanged }
      ? "accept unchanged (\(LatencyText.rounded(answers)))" : "accept \(change(affected, \.accept))"
    let numbers = "\(accept), transit \(change(affected, \.transit))"
    var candidates: [(verdict: Verdict, fit: Int)] = []
    func add(_ cause: Cause, _ name: String, _ group: [Int], _ text: String) {
      let inside = group.count(where: affected.contains)
      let fit = inside - (affected.count - inside) - (group.count - inside)
      candidates.append(
        (
          verdict(
            cause, name, affected.intersection(group), "between provider and device: \(numbers), \(text)"),
          fit
        ))
    }
    for device in Set(affected.map({ targets[$0].target.device })).sorted() {
      let group = ofDevice(device)
      let over = Set(group.map { targets[$0].target.provider })
      let others = targets.indices.filter {
        !group.contains($0) && over.contains(targets[$0].target.provider)
      }
      let mine = affected.intersection(group)
      let othersAffected = others.count(where: affected.contains)
      let sleep = sleep(mine)
      if let sleep, covers(affected, group), othersAffected == 0 {
        add(.deviceAsleep, device, group, "\(sleep.words), on \(device) only")
        if sleep.isReported { candidates[candidates.count - 1].verdict.facts?.isSleepReported = true }
      } else if over.count >= 2, covers(affected, group),
        others.isEmpty
          ? affected.isSubset(of: group)
            && targets.indices.contains(where: { !group.contains($0) && isWell($0) })
          : !covers(affected, others) && othersAffected <= others.count / 2
      {
        add(.device, device, group, "on \(device) over \(over.count) providers")
      }
    }
    for provider in providers(of: affected) {
      let group = ofProvider(provider)
      let devices = Set(group.map { targets[$0].target.device })
      let others = targets.indices.filter {
        !group.contains($0) && devices.contains(targets[$0].target.device)
      }
      if devices.count >= 2, covers(affected, group),
        others.count(where: affected.contains) <= others.count / 2
      {
        add(
          .providerDelivery, provider, group,
          "\(group.count(where: affected.contains)) of \(group.count) devices of \(provider)")
      }
    }
    return best(of: candidates, affected, numbers)
  }

  /// What says that devices sleep, which they did not before; `nil` where nothing does.
  private func sleep(_ affected: Set<Int>) -> (words: String, isReported: Bool)? {
    func share(_ share: (TargetEvidence) -> (before: Double, now: Double)) -> String? {
      let now = mean(affected) { share($0).now }
      return now >= 0.5 && mean(affected) { share($0).before } < 0.25 ? PercentText.fine(now) : nil
    }
    if let share = share(\.bunches) { return ("\(share) received in bunches", false) }
    return share(\.idle).map { ("\($0) received while it dozed", true) }
  }

  /// The candidate that fits best, unless another one fits as well.
  private func best(
    of candidates: [(verdict: Verdict, fit: Int)], _ affected: Set<Int>, _ numbers: String
  ) -> Verdict {
    let candidates = candidates.sorted { $0.fit > $1.fit }
    if let first = candidates.first, candidates.count == 1 || first.fit > candidates[1].fit {
      return first.verdict
    }
    return verdict(
      .undecided(.between(candidates.map { $0.verdict })), nil, affected,
      "between provider and device: \(numbers)", wouldDecide: wouldDecide(affected, both: false))
  }

  // MARK: - Words

  private func mean(_ affected: Set<Int>, _ value: (TargetEvidence) -> Double) -> Double {
    affected.isEmpty ? 0 : affected.sorted().reduce(0) { $0 + value(targets[$1]) } / Double(affected.count)
  }

  private func median(_ affected: Set<Int>, _ value: (TargetEvidence) -> Double) -> Double {
    let values = affected.map { value(targets[$0]) }.sorted()
    return values.isEmpty ? 0 : values[values.count / 2]
  }

  /// `p50 22 ms → 97 ms`, at the finding's quantile.
  private func change(_ affected: Set<Int>, _ leg: (TargetEvidence) -> LatencyChange) -> String {
    let before = median(affected) { leg($0).statedBefore }
    let after = median(affected) { leg($0).statedAfter }
    return
      "\(Quantile.label(of: quantiles.stated)) \(LatencyText.rounded(before)) → \(LatencyText.rounded(after))"
  }

  /// The text of ``change(_:_:)``, at a higher quantile where only that one rose.
  private func tail(_ affected: Set<Int>, _ leg: (TargetEvidence) -> LatencyChange) -> String {
    let risen = affected.filter { leg(targets[$0]).quantile > quantiles.stated }
    guard risen.count * 2 > affected.count, let quantile = risen.map({ leg(targets[$0]).quantile }).min()
    else { return change(affected, leg) }
    let same = risen.filter { leg(targets[$0]).quantile == quantile }
    let before = median(same) { leg($0).before }
    let after = median(same) { leg($0).after }
    return "\(Quantile.label(of: quantile)) \(LatencyText.rounded(before)) → \(LatencyText.rounded(after))"
  }
}
