/// Repeats a round of work on the calling thread and retries the rounds that fail. Of consecutive failures only the first is
/// reported, and then the success that ends them.
public struct RetryLoop {
  private let interval: Duration
  private let report: ((any Error)?) -> Void

  /// - Parameters:
  ///   - interval: how long to rest after a failure.
  ///   - report: told of the first failure, and with `nil` of the first success after it.
  public init(every interval: Duration, report: @escaping ((any Error)?) -> Void) {
    self.interval = interval
    self.report = report
  }

  /// Runs rounds until one has a result.
  /// - Parameters:
  ///   - rest: waits on the calling thread.
  ///   - mayRetry: whether to go on after an error.
  ///   - round: does one round; returns `nil` to go on after the time that it has waited itself.
  /// - Throws: the error that is not retried.
  public func run<Value>(
    rest: (Duration) -> Void, mayRetry: (any Error) -> Bool = { _ in true }, round: () throws -> Value?
  ) throws -> Value {
    var isFailing = false
    while true {
      do {
        let value = try round()
        if isFailing { report(nil) }
        isFailing = false
        if let value { return value }
      } catch {
        guard mayRetry(error) else { throw error }
        if !isFailing { report(error) }
        isFailing = true
        rest(interval)
      }
    }
  }
}
