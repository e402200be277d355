import Analyst
import ArgumentParser
import Collector
import Configuration
import Glibc
import Measurement
import Monitoring
import Providers

/// The second process of a collector, which `collect` starts.
struct AnalystProcessCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "analyst",
    abstract: "The collector's second process, which `pushscope collect` starts and talks to.",
    shouldDisplay: false)

  func run() async throws {
    let byHand = CommandFailure(
      "pushscope collect starts this process and talks to it; start pushscope collect", exitStatus: .usage)
    guard isatty(STDIN_FILENO) == 0 else { throw byHand }
    do {
      try await AnalystProcess.run(client: WebhookRequest())
    } catch is AnalystProcess.NoCollector {
      throw byHand
    }
  }
}

/// Sends webhooks with the collector's client: no redirects, no proxies or other settings of the environment, bounded answers.
struct WebhookRequest: WebhookClient {
  private static let timeout = Duration.seconds(30)

  func post(_ body: [UInt8], to url: Endpoint, caFile: String?) -> WebhookAnswer {
    let request = PushRequest(
      url: url.url, headers: [HeaderField("content-type", "application/json")], body: body,
      secrets: [url.target, url.host])
    switch BlockingRequest(caFile: caFile, timeout: Self.timeout, clock: SystemClock()).perform(request) {
    case .success(let answer): return .status(answer.response.status)
    case .failure(let failure): return .failed(RequestSecrets(of: request).hidden(in: failure.message))
    }
  }
}
