import Configuration
import Measurement
import Providers
import Store

/// One selected target of a run: the configuration's words turned into what the rooms below take.
struct TargetAssembly: Sendable {
  var configuration: TargetConfiguration
  var arrivals: ArrivalProcess
  var limits: ScheduleLimits
  var credentials: TargetCredentials

  /// Reads and checks what is secret about the target.
  init(_ configuration: TargetConfiguration, options: CollectorOptions) throws(TargetCredentialError) {
    self.configuration = configuration
    credentials = try TargetCredentials(reading: configuration)
    var schedule = configuration.schedule
    if let rate = options.rate { schedule.rate = rate }
    arrivals = schedule.process
    limits = ScheduleLimits(
      maxInFlight: configuration.maxInFlight, maxLag: configuration.maxLag, count: options.count,
      duration: options.duration)
  }

  var description: TargetDescription {
    TargetDescription(
      name: configuration.name, provider: configuration.provider.rawValue,
      receiptDeadline: configuration.receiptDeadline?.microseconds, askedRate: arrivals.rate.perSecond,
      variants: configuration.variants.count > 1 ? configuration.variants.map(\.name) : [])
  }

  func ledgerTarget(id: TargetID) -> LedgerTarget {
    LedgerTarget(id: id, receiptDeadline: configuration.receiptDeadline?.microseconds)
  }

  /// - Parameters:
  ///   - providers: those with credentials, if they have any.
  ///   - variants: the store's numbers, in the order of the description's names.
  func transportTarget(
    id: TargetID, seed: UInt64, authenticator: ReceiptAuthenticator?, providers: [any Provider]?,
    variants: [VariantID]
  ) throws(TargetCredentialError) -> TransportTarget {
    let ready: [any Provider] = if let providers { providers } else { try credentials.providers(token: nil) }
    return TransportTarget(
      id: id, providers: ready, variants: variants, authenticator: authenticator, arrivals: arrivals,
      limits: limits, timeout: configuration.timeout, caFile: configuration.caFile,
      seed: seed &+ UInt64(bitPattern: id.rawValue))
  }
}
