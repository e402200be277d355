import CLinux
import Configuration
import Glibc
import Measurement
import Threads

/// Sends one POST request and waits for the answer; follows no redirect.
public protocol WebhookClient: Sendable {
  /// - Parameters:
  ///   - url: a secret, which the problem does not contain.
  ///   - caFile: PEM file of the authorities to trust; `nil` for the system's.
  /// - Returns: the status, or why there is none.
  func post(_ body: [UInt8], to url: Endpoint, caFile: String?) -> WebhookAnswer
}

/// What came of a webhook's request.
public enum WebhookAnswer: Sendable, Equatable {
  case status(Int)
  case failed(String)
}

/// A way to tell alerts. May block the sender's thread.
protocol AlertChannel {
  /// - Returns: `nil` when it was delivered, otherwise why not, without a secret.
  func deliver(_ json: [UInt8]) -> String?
}

/// Posts to a URL.
struct WebhookChannel: AlertChannel {
  let configuration: AlertConfiguration.Webhook
  let client: any WebhookClient

  func deliver(_ json: [UInt8]) -> String? {
    guard let url = configuration.currentURL() else { return "its URL cannot be read" }
    switch client.post(json, to: url, caFile: configuration.caFile) {
    case .status(200...299): return nil
    case .status(let status) where (300...399).contains(status):
      return "HTTP status \(status): redirects are not followed"
    case .status(let status): return "HTTP status \(status)"
    case .failed(let reason): return reason
    }
  }
}

/// Runs a program with the JSON on its standard input.
struct CommandChannel: AlertChannel {
  let arguments: [String]
  /// Called with what it printed, at most ``maximumOutput`` bytes.
  let onOutput: (String) -> Void
  var timeout = Duration.seconds(30)
  static let maximumOutput = 4096

  func deliver(_ json: [UInt8]) -> String? {
    var child = clinux_child()
    // Nothing of this process's environment: it may hold secrets.
    let environment =
      ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"]
      + (getenv("HOME").map { ["HOME=" + String(cString: $0)] } ?? [])
    let code = CStringArray.with(arguments) { arguments in
      CStringArray.with(environment) { clinux_spawn(arguments, $0, DescriptorLimit.inherited, &child) }
    }
    guard code == 0 else { return "the command cannot be started: \(String(cString: strerror(code)))" }
    var exchange = CommandExchange(child: child, input: json)
    let outcome = exchange.run(within: timeout)
    if !exchange.output.isEmpty { onOutput(String(decoding: exchange.output, as: UTF8.self)) }
    return outcome
  }
}

/// Writes a child's input, reads its output and waits for its end, all within a time.
private struct CommandExchange {
  private let child: clinux_child
  private let input: [UInt8]
  private(set) var output: [UInt8] = []

  init(child: clinux_child, input: [UInt8]) {
    self.child = child
    self.input = input
  }

  mutating func run(within limit: Duration) -> String? {
    let deadline = SuspendingClock.now + limit
    var written = 0
    var isWriting = true
    var isReading = true
    var buffer = [UInt8](repeating: 0, count: 4096)
    var status: Int32 = 0
    var hasEnded = false
    while !hasEnded || isReading {
      if SuspendingClock.now >= deadline { break }
      var waiting = [pollfd(fd: isReading ? child.output : -1, events: Int16(POLLIN), revents: 0)]
      waiting.append(pollfd(fd: isWriting ? child.input : -1, events: Int16(POLLOUT), revents: 0))
      // Short, since the child's end is no descriptor; an alert is rare.
      _ = poll(&waiting, 2, 20)
      if waiting[0].revents != 0 {
        let count = read(child.output, &buffer, buffer.count)
        if count > 0 {
          output += buffer[..<min(count, max(0, CommandChannel.maximumOutput - output.count))]
        } else if count == 0 || errno != EAGAIN {
          isReading = false
        }
      }
      if waiting[1].revents != 0 {
        let count = input[written...].withUnsafeBytes { write(child.input, $0.baseAddress, $0.count) }
        if count > 0 { written += count }
        // A command need not read its input.
        if written == input.count || count < 0 && errno != EAGAIN {
          close(child.input)
          isWriting = false
        }
      }
      if !hasEnded, waitpid(child.pid, &status, WNOHANG) == child.pid {
        hasEnded = true
        // What it started and left behind may keep its output open.
        _ = kill(-child.pid, SIGKILL)
      }
    }
    if isWriting { close(child.input) }
    close(child.output)
    guard hasEnded else {
      _ = kill(-child.pid, SIGKILL)
      _ = kill(child.pid, SIGKILL)
      _ = waitpid(child.pid, &status, 0)
      return "the command did not end within \(LengthText.text(limit))"
    }
    if status & 0x7F != 0 { return "the command was ended by signal \(status & 0x7F)" }
    let code = (status >> 8) & 0xFF
    return code == 0 ? nil : "the command ended with exit code \(code)"
  }
}
