import Configuration

/// What of a new configuration can be taken while the collector runs, and what needs a restart.
struct ReloadPlan: Sendable {
  /// The new configuration with the former values of what needs a restart.
  let configuration: PushscopeConfiguration
  /// For people: the keys that need a restart.
  let restart: [String]
  /// For people: the sections besides targets that changed and are taken.
  let taken: [String]

  init(from current: PushscopeConfiguration, to new: PushscopeConfiguration) {
    var configuration = new
    var restart: [String] = []
    var taken: [String] = []
    if current.collector.durability != new.collector.durability {
      restart.append("collector.durability")
      configuration.collector.durability = current.collector.durability
    }
    if current.collector.storeGroup != new.collector.storeGroup {
      restart.append("collector.store_group")
      configuration.collector.storeGroup = current.collector.storeGroup
    }
    switch (current.collector.receipts, new.collector.receipts) {
    case (nil, nil): break
    case (let former?, let next?):
      if former.listen != next.listen {
        restart.append("collector.receipts.listen")
        configuration.collector.receipts?.listen = former.listen
      }
      if former.certificateFile != next.certificateFile || former.keyFile != next.keyFile {
        taken.append("the receipt listener's certificate")
      }
    case (let former, _):
      restart.append("collector.receipts")
      configuration.collector.receipts = former
    }
    if current.retention != new.retention { taken.append("retention") }
    if current.service != new.service {
      restart.append("service")
      configuration.service = current.service
    }
    let judgments = [
      ("labels", current.labels != new.labels), ("objectives", current.objectives != new.objectives),
      ("alerts", current.alerts != new.alerts),
    ].filter(\.1).map(\.0)
    if current.isMonitored {
      taken += judgments
    } else if new.isMonitored {
      // Nothing watches the collector yet.
      restart += judgments
    }
    self.configuration = configuration
    self.restart = restart
    self.taken = taken
  }
}

/// What a reload came to.
public enum ReloadOutcome: Sendable, Equatable {
  /// In words: what changed, and what needs a restart.
  case taken(String)
  /// Nothing changed: why, with line and key where it is the file.
  case refused(String)
}
