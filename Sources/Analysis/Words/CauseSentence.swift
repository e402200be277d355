import Measurement
import Store

/// The cause of a finding in words: whose fault it is, or what would tell. A provider, a device and a host are named;
/// "not us" is said only where it is known.
struct CauseSentence {
  private let record: FindingRecord
  private let isOver: Bool

  init(_ record: FindingRecord, isOver: Bool) {
    (self.record, self.isOver) = (record, isOver)
  }

  var text: String {
    let verdicts = record.verdicts
    guard let first = verdicts.first else { return name(record.cause, record.scope, nil) }
    var text = name(first.cause, first.scope, first)
    // A second cause of the same target; further ones are in the details.
    let further = verdicts.dropFirst().first {
      $0.cause.isDecided && $0.targets.contains(record.target)
    }
    if first.cause.isDecided, let further {
      text += " Beside that: " + name(further.cause, further.scope, further).loweredFirst
    }
    return [text, circumstance(first)].compactMap { $0 }.joined(separator: " ")
  }

  /// `Of the slow ones 83 % came while the device dozed, of the others 4 %.`
  private func circumstance(_ verdict: Verdict) -> String? {
    guard let found = verdict.facts?.circumstance else { return nil }
    let which = record.metric.word == .unseen ? "those that were not shown" : "the slow ones"
    let shares = (
      PercentText.given((found.affected * 100).rounded() / 100),
      PercentText.given((found.others * 100).rounded() / 100)
    )
    return "Of \(which) \(shares.0) came \(found.words), of the others \(shares.1)."
  }

  /// The provider as evidence names it (``ProviderNames``).
  static func provider(of record: FindingRecord) -> String {
    if let provider = record.verdicts.first?.facts?.provider { return provider }
    let host = ProviderNames.host(of: record.endpoint)
    let named = record.verdicts.lazy.compactMap(\.scope).first {
      $0 == "\(record.provider) at \(host)" || $0.hasPrefix("\(host) (")
    }
    return named ?? record.provider
  }

  private var provider: String { Self.provider(of: record) }
  private var it: String { isOver ? "It was" : "It is" }
  private func verb(_ now: String, _ past: String) -> String { isOver ? past : now }

  // MARK: - Decided

  private func name(_ cause: Cause?, _ scope: String?, _ verdict: Verdict?) -> String {
    guard let cause else { return "The cause is not known yet." }
    let whom = scope ?? provider
    let device = scope ?? record.device
    switch cause {
    case .host:
      return "\(it) this host: it \(verb("sends", "sent")) late."
    case .uplink:
      return "\(it) this host’s connection to the network: every provider \(verb("is", "was")) affected."
    case .connecting:
      return
        "\(it) the connections to \(whom): more of them \(verb("have", "had")) to be opened first, and notifications \(verb("wait", "waited")) for that."
    case .path:
      let rise = verdict?.facts?.roundTripRise.flatMap { $0 > 0 ? $0 : nil }.map {
        " a round trip \(verb("takes", "took")) \(LatencyText.text($0)) longer."
      }
      return "\(it) the network to \(whom):" + (rise ?? " round trips \(verb("take", "took")) longer.")
    case .providerProcessing:
      return
        "\(it) \(whom): it \(verb("answers", "answered")) later while the network to it \(verb("is", "was")) as fast as before."
    case .providerDelivery:
      return "\(it) \(whom), after it accepted: \(devices(verdict)) \(verb("get", "got")) them later."
    case .providerLoss:
      return
        "\(it) \(whom): it \(verb("accepts", "accepted")) notifications, but more of them than before \(verb("do", "did")) not arrive\(lostDevices(verdict, whom))."
    case .providerErrors:
      return "\(it) \(whom): it \(verb("answers", "answered")) with server errors."
    case .throttled:
      return "\(it) a limit of \(whom): it \(verb("says", "said")) that we send too much."
    case .credentials:
      return "\(it) our credentials: \(whom) \(verb("does", "did")) not accept them."
    case .receipts:
      return
        "\(it) our receipt listener or the network to it: all targets \(verb("are", "were")) affected, and providers \(verb("accept", "accepted")) as before."
    case .device:
      let what =
        record.metric.word == .lost
        ? verb("does not get some of them", "did not get some of them")
          + ", whichever provider \(verb("sends", "sent")) them"
        : "\(verb("is", "was")) slow with every provider"
      return "\(it) the device \(device): it \(what), and other devices \(verb("are", "were")) well."
    case .deviceAsleep:
      let how = verdict?.facts?.isSleepReported ?? false ? "late" : "in bunches"
      return "The device \(device) \(verb("sleeps", "slept")): it \(verb("gets", "got")) them \(how)."
    case .display:
      let device = device.contains(", ") ? record.device : device
      return record.metric.word == .display
        ? "The device \(device) \(verb("gets", "got")) them and \(verb("shows", "showed")) them later."
        : "The device \(device) \(verb("gets them and does", "got them and did")) not show them."
    case .other(let text): return "\(it) \(text)\(scope.map { " (\($0))" } ?? "")."
    case .undecided(let reason): return open(reason, whom, verdict)
    }
  }

  /// `all 3 devices`, `2 of 3 devices`, `its devices`.
  private func devices(_ verdict: Verdict?) -> String {
    guard let count = verdict?.facts?.devices, let all = verdict?.facts?.allDevices, all > 1 else {
      return "its devices"
    }
    return count == all ? (all == 2 ? "both devices" : "all \(all) devices") : "\(count) of \(all) devices"
  }

  /// `; all 3 devices that get notifications through fcm are affected`; empty where their number is not known.
  private func lostDevices(_ verdict: Verdict?, _ whom: String) -> String {
    guard let count = verdict?.facts?.devices, verdict?.facts?.allDevices ?? 0 > 1 else { return "" }
    let are = count == 1 ? verb("is", "was") : verb("are", "were")
    return "; \(devices(verdict)) that get notifications through \(whom) \(are) affected"
  }

  // MARK: - Undecided

  /// What is known of an undecided one, and what would tell.
  private func open(_ reason: UndecidedReason, _ whom: String, _ verdict: Verdict?) -> String {
    switch reason {
    case .notSought: return ""
    case .tooLittleBefore: return "Too little was recorded before it to say why."
    default: break
    }
    let (question, answer) = ofConnection(reason, verdict) ?? question(reason, whom, verdict)
    let demand = answer ?? verdict?.wouldDecide.map { "What would tell: \($0)." } ?? ""
    return [innocence(verdict), question, demand].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// `Not us: we sent on time, and fcm accepted as fast as before.`
  ///
  /// It is not us where we send as early as before and either the way is known to be as fast as before, or the time passes after
  /// the provider accepted.
  private func innocence(_ verdict: Verdict?) -> String {
    guard let facts = verdict?.facts, facts.isSentOnTime == true, record.shareBefore == nil else { return "" }
    if facts.isAcceptedAsBefore == true, record.metric.word == .delivery {
      return "Not us: we sent on time, and \(provider) accepted as fast as before."
    }
    guard facts.isPathAsBefore == true else { return "We sent on time." }
    return
      "Not us: we sent on time, and the network to \(provider) \(verb("is", "was")) as fast as before."
  }

  private var device: String { record.device == provider ? "its device" : "the device \(record.device)" }

  /// A device that gets what other providers send as before is not suspected by itself.
  private func ofConnection(_ reason: UndecidedReason, _ verdict: Verdict?) -> (
    question: String, answer: String?
  )? {
    guard verdict?.facts?.isDeviceWellElsewhere == true,
      [.deliveryOrDevice, .lossPlace].contains(reason)
    else { return nil }
    return (
      "\(it) \(provider) or its connection to \(device): what other providers send \(verb("arrives", "arrived")) there as before.",
      "A second device that gets notifications through \(provider) would tell which."
    )
  }

  private func question(
    _ reason: UndecidedReason, _ whom: String, _ verdict: Verdict?
  ) -> (question: String, answer: String?) {
    switch reason {
    case .deliveryOrDevice:
      return (
        "\(it) \(provider) or \(device); a second device that gets notifications through \(provider) would tell which.",
        ""
      )
    case .lossPlace:
      return (
        "It is not known whether \(provider) loses them, \(device) does not get them, or our receipt listener misses them.",
        "A second device reached through \(provider), and a second provider to \(device), would tell."
      )
    case .pathOrProvider:
      let only = record.shareBefore == nil ? "" : "Only \(whom) \(verb("is", "was")) affected. "
      return ("\(only)It is not known whether it \(verb("is", "was")) \(whom) or the network to it.", nil)
    case .pathAndProvider:
      return ("The network to \(whom) explains a part of it, but not all.", nil)
    case .queueOrProvider:
      return (
        "It is not known whether this host \(verb("sends", "sent")) late or \(whom) \(verb("holds", "held")) it up.",
        nil
      )
    case .serviceEverywhere:
      return (
        "All providers \(verb("answer", "answered")) later; it is not known whether that \(verb("is", "was")) this host’s connection to the network.",
        nil
      )
    case .serviceOfSeveral:
      return (
        "\(whom) \(verb("answer", "answered")) later, other providers \(verb("do", "did")) not; what these have in common is not known.",
        nil
      )
    case .failuresOfSeveral:
      return (
        "\(whom) \(verb("fail", "failed")), other providers \(verb("do", "did")) not; what these have in common is not known.",
        ""
      )
    case .refusalsOfSeveral:
      return ("Several providers \(verb("refuse", "refused")) them: \(whom).", nil)
    case .severalRefusals:
      return ("\(whom) \(verb("gives", "gave")) several reasons.", "")
    case .noPartStandsOut:
      return ("No single part of the way explains it, so the cause is not known.", "")
    case .notSought, .tooLittleBefore: return ("", nil)
    case .other:
      let candidates = reason.candidates
      return ("It is not known whether it \(verb("is", "was")) \(ListText.or(candidates)).", nil)
    }
  }
}
