import Configuration
import Measurement
import Providers
import Store

/// One selected target of a run: the configuration's words turned into what the rooms below take.
struct TargetAssembly: Sendable {
  var configuration: TargetConfiguration
  var arrivals: ArrivalProcess
  var limits: ScheduleLimits

  init(_ configuration: TargetConfiguration, options: CollectorOptions) {
    self.configuration = configuration
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
      variants: [])
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
  ) -> TransportTarget {
    TransportTarget(
      id: id, providers: providers ?? [provider], variants: variants, authenticator: authenticator,
      arrivals: arrivals, limits: limits, timeout: configuration.timeout, caFile: configuration.caFile,
      seed: seed &+ UInt64(bitPattern: id.rawValue))
  }

  private var provider: any Provider {
    switch configuration.settings {
    case .http(let settings):
      HTTPProvider(
        url: configuration.endpoint.url, method: settings.method.rawValue,
        headers: settings.headers.map { HeaderField($0.name, $0.value.exposed) },
        body: settings.body ?? [], success: settings.success.ranges)
    case .loopback(let settings):
      LoopbackProvider(
        origin: configuration.endpoint.origin, topic: settings.topic, pushType: settings.pushType.rawValue,
        priority: settings.priority, expiration: settings.expiration)
    }
  }
}
