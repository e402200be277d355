/// Runs tasks one after the other, in the order in which they came.
actor SerialTasks {
  private var last: Task<Void, Never>?

  func run<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) async -> Result {
    let former = last
    let next = Task {
      await former?.value
      return await work()
    }
    last = Task { _ = await next.value }
    return await next.value
  }
}
