import DequeModule
import Measurement
import Providers

/// Makes the requests of one target, some of them before they are due: encrypting one for a browser takes longer than the gap
/// between two at high rates.
struct RequestMaker {
  private let target: TransportTarget
  private let run: RunID
  private unowned(unsafe) let environment: any LaneEnvironment
  /// Renewed with their credentials; as many as the target began with.
  private var providers: [any Provider]
  private var ready = Deque<OutgoingRequest>()
  /// What making one request ready took lately, at most.
  private var preparation = Duration.zero
  /// A hiccup of the host is no measure of it.
  private static let longestPreparation = Duration.milliseconds(1)
  /// The last request's URL; hardly ever another one than the next's.
  private var url: RequestURL?

  static let readyAhead = 4

  init(_ target: TransportTarget, run: RunID, environment: any LaneEnvironment) {
    self.target = target
    self.run = run
    self.environment = environment
    providers = target.providers
  }

  // MARK: Ahead of their time

  /// The first request that is made already.
  var firstReady: OutgoingRequest? { ready.first }

  /// Makes up to ``readyAhead`` requests, as far as there is time.
  mutating func prepareAhead(of schedule: borrowing TargetSchedule, until deadline: MonotonicTime) {
    let next = schedule.upcoming(0)
    while let first = ready.first, next.map({ first.notification.sequence < $0.sequence }) ?? true {
      _ = ready.popFirst()
    }
    var now = environment.now()
    while ready.count < Self.readyAhead, let next = schedule.upcoming(ready.count) {
      guard deadline - now > preparation * 2, let request = make(for: next) else {
        return
      }
      ready.append(request)
      let began = now
      now = environment.now()
      // A hiccup of the host is forgotten within a few more.
      preparation = max(preparation * 3 / 4, min(now - began, Self.longestPreparation))
    }
  }

  mutating func dropReady() { ready.removeAll() }

  /// Drops those of withdrawn plans.
  mutating func dropReady(of withdrawn: ClosedRange<Int64>) {
    ready.removeAll { withdrawn.contains($0.notification.sequence) }
  }

  // MARK: When they are due

  /// The request for this notification, made ahead or made now.
  mutating func request(for notification: PlannedNotification) -> OutgoingRequest? {
    while let first = ready.first, first.notification.sequence <= notification.sequence {
      _ = ready.popFirst()
      if first.notification.sequence == notification.sequence { return first }
    }
    return make(for: notification)
  }

  /// - Returns: `nil` where the provider's URL cannot be read.
  mutating func make(
    for planned: PlannedNotification, after failure: RequestFailure? = nil
  ) -> OutgoingRequest? {
    let id = NotificationID(run: run, sample: SampleID(target: target.id, sequence: planned.sequence))
    let notification = PushNotification(
      id: id, mac: target.authenticator?.mac(for: id), plannedAt: environment.offset.wall(planned.planned))
    let request = provider(of: planned).request(for: notification)
    if url?.text != request.url { url = RequestURL(request.url) }
    return url.map { OutgoingRequest(planned, request, url: $0, after: failure) }
  }

  // MARK: Providers

  /// The one whose turn it is.
  func provider(of notification: PlannedNotification) -> any Provider {
    providers[TargetSchedule.index(of: notification.sequence, in: providers.count)]
  }

  /// Goes on with others; requests that were made ahead are made anew.
  /// - Returns: whether they are as many as the target began with. Others are ignored.
  mutating func replaceProviders(_ renewed: [any Provider]) -> Bool {
    guard renewed.count == providers.count else { return false }
    providers = renewed
    ready.removeAll()
    return true
  }
}
