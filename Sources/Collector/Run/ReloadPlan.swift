import Configuration
import HTTPServer

/// What of a new configuration can be taken while the collector runs, and what needs a restart.
struct ReloadPlan: Sendable {
  /// The new configuration with the former values of what needs a restart.
  let configuration: PushscopeConfiguration
  /// The keys that need a restart, as text for people.
  let restart: [String]
  /// The sections besides targets that changed and are taken, as text for people.
  let taken: [String]

  init(from current: PushscopeConfiguration, to new: PushscopeConfiguration) {
    var configuration = new
    var restart: [String] = []
    var taken: [String] = []
    Self.keep(\.durability, "durability", of: current, in: &configuration, &restart)
    Self.keep(\.storeGroup, "store_group", of: current, in: &configuration, &restart)
    Self.keep(\.analyst, "analyst", of: current, in: &configuration, &restart)
    switch (current.collector.receipts, new.collector.receipts) {
    case (nil, nil): break
    case (let former?, let next?):
      if former.listen != next.listen {
        restart.append("collector.receipts.listen")
        configuration.collector.receipts?.listen = former.listen
      }
    case (let former, _):
      restart.append("collector.receipts")
      configuration.collector.receipts = former
    }
    if current.retention != new.retention { taken.append("retention") }
    switch (current.service, new.service) {
    case (nil, nil): break
    case (let former?, let next?):
      let fixed = Self.fixedKeys(from: former, to: next)
      if !fixed.isEmpty {
        // All of it or nothing: an address that stays must not lose the password that it needs.
        restart += fixed
        configuration.service = former
      } else if former != next {
        taken.append("service")
      }
    case (let former, _):
      restart.append("service")
      configuration.service = former
    }
    Self.keepDevices(of: current, in: &configuration, &restart, &taken)
    if current.fleet != new.fleet {
      restart.append("fleet")
      configuration.fleet = current.fleet
    }
    let monitored = [
      ("labels", current.labels != new.labels), ("objectives", current.objectives != new.objectives),
      ("alerts", current.alerts != new.alerts),
    ].filter(\.1).map(\.0)
    if current.isMonitored {
      taken += monitored
    } else if new.isMonitored {
      // Nothing watches the collector yet.
      restart += monitored
      configuration.labels = current.labels
      configuration.objectives = current.objectives
      configuration.alerts = current.alerts
    }
    self.configuration = configuration
    self.restart = restart
    self.taken = taken
  }

  /// Keeps the value of a key below `collector` that needs a restart.
  private static func keep(
    _ value: WritableKeyPath<CollectorConfiguration, some Equatable>, _ key: String,
    of current: PushscopeConfiguration, in configuration: inout PushscopeConfiguration,
    _ restart: inout [String]
  ) {
    guard current.collector[keyPath: value] != configuration.collector[keyPath: value] else { return }
    restart.append("collector.\(key)")
    configuration.collector[keyPath: value] = current.collector[keyPath: value]
  }

  /// Keeps where devices and their page are, which needs a restart, as does the section's coming and going.
  private static func keepDevices(
    of current: PushscopeConfiguration, in configuration: inout PushscopeConfiguration,
    _ restart: inout [String], _ taken: inout [String]
  ) {
    switch (current.devices, configuration.devices) {
    case (nil, nil): break
    case (let former?, let next?):
      restart += former.listen == next.listen ? [] : ["devices.listen"]
      restart += former.directory == next.directory ? [] : ["devices.directory"]
      configuration.devices?.listen = former.listen
      configuration.devices?.directory = former.directory
      if former != configuration.devices { taken.append("devices") }
    case (let former, _):
      restart.append("devices")
      configuration.devices = former
    }
  }

  /// The keys of the web endpoint that were changed and that a listener cannot change.
  private static func fixedKeys(from former: ServiceConfiguration, to next: ServiceConfiguration) -> [String]
  {
    (former.listen == next.listen ? [] : ["service.listen"])
      + ((former.identity == nil) == (next.identity == nil) ? [] : ["service.certificate_file"])
  }

  /// What needs a restart, and how, as text for people; `nil` when nothing does.
  var remedy: String? {
    restart.isEmpty
      ? nil
      : "need a restart of the collector: \(restart.joined(separator: ", ")) (systemctl restart pushscope, or end it and "
        + "start it again)"
  }
}

/// What a reload came to.
public enum ReloadOutcome: Sendable, Equatable {
  /// The configuration was taken; the text says what changed, and what needs a restart.
  case taken(String)
  /// Nothing changed: why, with line and key where it is the file.
  case refused(String)
}

/// The files of the listeners' certificates, keys and passwords, to tell which of them a reload has taken up.
struct ListenerContents: Sendable, Equatable {
  private var receipts = CredentialContents(of: [])
  private var service = CredentialContents(of: [])

  init() {}

  init(of configuration: PushscopeConfiguration) {
    receipts = CredentialContents(
      of: configuration.collector.receipts.map { [$0.certificateFile, $0.keyFile.path] } ?? [])
    service = CredentialContents(of: configuration.service?.credentialFiles ?? [])
  }

  /// What was replaced, as text for people.
  func words(after former: ListenerContents) -> [String] {
    (receipts == former.receipts ? [] : ["the receipt listener's certificate"])
      + (service == former.service ? [] : ["the web endpoint's certificate or password"])
  }
}

extension ServiceConfiguration {
  var credentialFiles: [String] {
    (identity.map { [$0.certificateFile, $0.keyFile.path] } ?? [])
      + (authentication.map { [$0.passwordFile.path] } ?? [])
  }
}

extension PushscopeConfiguration {
  /// Reads the certificates, keys and passwords of the listeners.
  /// - Throws: `FileReadError`, `HTTPServerError`.
  func checkListenerFiles() throws {
    if let receipts = collector.receipts {
      _ = try ServerIdentity(certificateFile: receipts.certificateFile, keyFile: receipts.keyFile.path)
    }
    if let identity = service?.identity {
      _ = try ServerIdentity(certificateFile: identity.certificateFile, keyFile: identity.keyFile.path)
    }
    _ = try service?.authentication?.passwordFile.read()
  }
}
