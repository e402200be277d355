import Foundation
import TestKit
import TestTraits
import Testing

/// The programs of Examples/Devices, compiled or run where there is a compiler; the service worker and the iOS extension with
/// a real collector.
@Suite("Device examples", .ownThread, .serialized)
struct DeviceExampleTests {
  private static let root = URL(fileURLWithPath: Programs.repository)

  /// The part of a service worker's environment that the example uses.
  private static let browser = """
    const fs = require("fs");
    const listeners = {};
    // Node's own origin is up to a millisecond wrong: where the wall clock's millisecond changes between two looks, it is known.
    let origin;
    for (let last = Date.now(), before = performance.now(); origin === undefined;) {
      const wall = Date.now(), after = performance.now();
      if (wall === last + 1 && after - before < 0.02) origin = wall - after;
      [last, before] = [wall, after];
    }
    Object.defineProperty(performance, "timeOrigin", { value: origin });
    globalThis.self = {
      addEventListener: (name, listener) => { listeners[name] = listener; },
      registration: { showNotification: async () => {} },
      clients: { matchAll: async () => [{ visibilityState: "visible" }] },
      navigator: { userAgent: "Linux" },
      Notification: { permission: "granted" },
    };
    if (process.env.WITHOUT_CLOCK) {
      const really = fetch;
      globalThis.fetch = async (url, options) =>
        url.endsWith("/v1/clock") ? new Response("<html>not here</html>", { status: 404 }) : really(url, options);
    }
    const source = fs.readFileSync(process.argv[1], "utf8").replace(/https:\\/\\/receipts[^"]*/, process.argv[2]);
    (0, eval)(source);
    const probe = { v: 1, id: process.argv[3], mac: process.argv[4], at: 0 };
    listeners.push({
      data: { json: () => ({ pushscope: probe }) },
      waitUntil: (work) => work.then(() => process.exit(0), () => process.exit(1)),
    });
    """

  private static func example(_ name: String) -> String {
    root.appendingPathComponent("Examples/Devices/\(name)").path
  }

  @Test("the browser's scripts are JavaScript", arguments: ["service-worker.js", "subscribe.js"])
  func isWellFormed(name: String) throws {
    guard let node = Programs.find("node") else {
      #expect(!Programs.has("node"), "node is not installed")
      return
    }
    let result = try run(node, ["--check", Self.example("web/\(name)")])
    #expect(result.status == 0, "\(result.error)")
  }

  /// Compiled with stubs of Android's and Firebase's classes.
  @Test(
    "the Android service compiles",
    .enabled(if: Programs.find("kotlinc") != nil && Programs.find("javac") != nil, "no kotlinc or javac"),
    .timeLimit(.minutes(10)))
  func android() throws {
    let directory = try TemporaryDirectory()
    let stubs = Self.root.appendingPathComponent("Tests/Support/android_stubs").path
    let sources = try #require(FileManager.default.enumerator(atPath: stubs)).compactMap { $0 as? String }
      .filter { $0.hasSuffix(".java") }.map { "\(stubs)/\($0)" }
    let java = try run("javac", ["-d", directory.file("classes")] + sources)
    #expect(java.status == 0, "\(java.error)")
    let kotlin = try run(
      "kotlinc",
      [
        "-cp", directory.file("classes"), "-d", directory.file("out"),
        Self.example("android/PushscopeMessagingService.kt"),
      ], within: .seconds(240))
    #expect(kotlin.status == 0, "\(kotlin.error)")
  }

  /// Compiled with stubs of Apple's UserNotifications and Network. Type checking would not be enough: the compiler diagnoses data races
  /// while it generates code.
  @Test(
    "the iOS extension compiles as Swift 6 without a warning, reports, and hands the notification on once",
    .enabled(if: Programs.has("swiftc", "openssl", "basenc")), .timeLimit(.minutes(10)))
  func iOS() throws {
    let directory = try TemporaryDirectory()
    let swift = ["-swift-version", "6", "-warnings-as-errors", "-parse-as-library"]
    for name in ["UserNotifications", "Network"] {
      let stub = Self.root.appendingPathComponent("Tests/Support/ios_stubs/\(name).swift").path
      let library = try run(
        "swiftc",
        swift + [
          "-emit-library", "-static", "-emit-module", "-module-name", name, stub,
          "-emit-module-path", directory.file("\(name).swiftmodule"), "-o", directory.file("lib\(name).a"),
        ], within: .seconds(240))
      #expect(library.status == 0, "\(library.error)")
    }

    let waiting = try Waiting()
    let forwarder = try RunningProcess(
      Programs.python,
      ["-c", Self.forwarder, "\(waiting.installation.receiptsPort)", waiting.authority])
    let port = try eventually("the forwarder listens", seen: { forwarder.standardError }) {
      Int(forwarder.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    let source = try String(contentsOfFile: Self.example("ios/NotificationService.swift"), encoding: .utf8)
    let service = try directory.write(
      "NotificationService.swift",
      source.replacing("https://receipts.example.com:8443", with: "http://127.0.0.1:\(port)"))
    let main = try directory.write("phone.swift", Self.phone)
    let program = directory.file("phone")
    let build = try run(
      "swiftc",
      swift + [
        "-I", directory.path, "-L", directory.path, "-lUserNotifications", "-lNetwork", service,
        Self.example("ios/NotificationDelegate.swift"), main, "-o", program,
      ], within: .seconds(240))
    #expect(build.status == 0, "\(build.error)")
    let result = try run(
      program, [waiting.id, waiting.mac],
      environment: ["HOME": directory.path, "XDG_CONFIG_HOME": directory.path])
    #expect(result.status == 0, "\(result.error)")
    #expect(
      result.output == "handed on, can be opened\n",
      "once, though the time ended after the work: \(result.output)")
    try waiting.expectReceipt(of: "my-iphone", exchanges: 3)
  }

  /// Foundation's URLSession trusts the system's certificate authorities only, so a forwarder connects for it.
  private static let forwarder = """
    import http.client, http.server, ssl, sys
    context = ssl.create_default_context(cafile=sys.argv[2])
    class Forwarder(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            there = http.client.HTTPSConnection("127.0.0.1", int(sys.argv[1]), context=context, timeout=20)
            there.request("POST", self.path, body)
            answer = there.getresponse()
            text = answer.read()
            self.send_response(answer.status)
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Forwarder)
    print(server.server_port, flush=True)
    server.serve_forever()
    """

  /// A minimal iOS host of the extension: delivers a notification, and calls the expiration handler after its work.
  private static let phone = """
    import Foundation
    import UserNotifications

    @main struct Phone {
      static func main() async {
        let probe: [String: Any] = ["v": 1, "id": CommandLine.arguments[1], "mac": CommandLine.arguments[2], "at": 0]
        let request = UNNotificationRequest(content: UNNotificationContent(userInfo: ["pushscope": probe]))
        let (handed, continuation) = AsyncStream<Void>.makeStream()
        let service = NotificationService()
        // The extension calls it on whatever thread has done the work.
        service.didReceive(request) { @Sendable content in
          let opened = Receipt(openedFrom: content.userInfo)
          let isLater = opened.map { $0.openedAt ?? 0 >= $0.receivedAt } ?? false
          print(isLater ? "handed on, can be opened" : "handed on")
          continuation.yield()
        }
        for await _ in handed { break }
        service.serviceExtensionTimeWillExpire()
      }
    }
    """

  @Test(
    "the service worker exchanges clocks and posts its receipt",
    .enabled(if: Programs.has("node")), .timeLimit(.minutes(10)))
  func serviceWorker() throws {
    let waiting = try Waiting()
    let result = try receive(waiting)
    #expect(result.status == 0, "\(result.error)")
    try waiting.expectReceipt(of: "my-browser", exchanges: 3)
  }

  @Test(
    "the service worker posts its receipt though nobody answers /v1/clock",
    .enabled(if: Programs.has("node")), .timeLimit(.minutes(10)))
  func serviceWorkerWithoutClock() throws {
    let waiting = try Waiting()
    let result = try receive(waiting, environment: ["WITHOUT_CLOCK": "1"])
    #expect(result.status == 0, "\(result.error)")
    try waiting.expectReceipt(of: "my-browser", exchanges: 0)
  }

  private func receive(
    _ waiting: Waiting, environment: [String: String] = [:]
  ) throws -> (status: Int32, output: String, error: String) {
    try run(
      "node",
      ["-e", Self.browser, Self.example("web/service-worker.js"), waiting.listener, waiting.id, waiting.mac],
      environment: environment.merging(["NODE_EXTRA_CA_CERTS": waiting.authority]) { $1 })
  }

  @Test(
    "the page subscribes with the key and shows the subscription, also where another key was used before",
    .enabled(if: Programs.has("node")), arguments: ["", "other key"])
  func page(earlier: String) throws {
    let page = try String(contentsOfFile: Self.example("web/index.html"), encoding: .utf8)
    #expect(page.contains(#"<script src="subscribe.js">"#) && page.contains(#"id="subscription""#))
    #expect(page.contains(#"id="subscribe" data-key="PUBLIC KEY""#))
    let result = try run("node", ["-e", Self.pageBrowser, Self.example("web/subscribe.js"), earlier])
    #expect(result.status == 0, "\(result.error)")
    #expect(
      result.output == #"service-worker.js true BPublicKey {"endpoint":"https://push.example.com/1"}"# + "\n")
  }

  /// A document with the page's two elements, and a push manager that refuses a second key.
  private static let pageBrowser = """
    const fs = require("fs");
    let used = process.argv[2];
    const worker = [];
    const manager = {
      getSubscription: async () => used ? { unsubscribe: async () => { used = ""; } } : null,
      subscribe: async (options) => {
        if (used && used !== options.applicationServerKey) throw new Error("InvalidStateError");
        worker.push(options.userVisibleOnly, options.applicationServerKey);
        return { toJSON: () => ({ endpoint: "https://push.example.com/1" }) };
      },
    };
    const serviceWorker = { register: async (name) => { worker.push(name); }, ready: Promise.resolve({ pushManager: manager }) };
    Object.defineProperty(globalThis, "navigator", { value: { serviceWorker }, configurable: true });
    globalThis.window = { PushManager: true };
    globalThis.Notification = { requestPermission: async () => "granted" };
    const shown = {};
    let clicked;
    const button = { dataset: { key: "BPublicKey" }, addEventListener: (name, work) => { clicked = work; } };
    globalThis.document = { getElementById: (id) => id === "subscribe" ? button : shown };
    (0, eval)(fs.readFileSync(process.argv[1], "utf8"));
    clicked().then(() => console.log(...worker, shown.textContent));
    """
}

/// A collector with one notification in flight.
private final class Waiting {
  let installation: Installation
  let id: String
  let mac: String
  private let service: RunningProcess
  private let collector: RunningProcess

  var listener: String { "https://127.0.0.1:\(installation.receiptsPort)" }
  var authority: String { installation.directory.file("loopback/ca.pem") }

  init() throws {
    let installation = try Installation(rate: "2/s", target: ["receipt_deadline: 120s"])
    service = try installation.startLoopback(scenario: "deliveries: { lost: 100% }\n")
    let collector = try installation.collect([])
    try installation.waitFor("in_flight", over: 0, by: collector)
    id = try #require(
      try installation.query("SELECT notification_id FROM sample_view WHERE state = 'in_flight' LIMIT 1")
        .first?
        .first)
    let collectorID = try #require(try installation.query("SELECT collector FROM meta").first?.first)
    mac = try run(
      "sh",
      [
        "-c",
        "printf '1|\(collectorID)|\(id)' | openssl dgst -sha256 -hmac 0123456789abcdef0123456789abcdef -binary"
          + " | basenc --base64url | tr -d '='",
      ]
    ).output.trimmingCharacters(in: .whitespacesAndNewlines)
    self.installation = installation
    self.collector = collector
  }

  /// Ends the collector and checks what it recorded.
  func expectReceipt(of device: String, exchanges: Int, location: SourceLocation = #_sourceLocation) throws {
    let rows = try installation.query(
      "SELECT device, same_clock, coalesce(abs(offset_us) <= offset_error_us, 'none') FROM receipt")
    #expect(rows == [[device, "0", exchanges > 0 ? "1" : "none"]], sourceLocation: location)
    let count = try installation.query("SELECT count(*) FROM clock_exchange")
    #expect(count == [["\(exchanges)"]], sourceLocation: location)
    // It would wait for the notifications still in flight.
    try collector.kill()
    try service.stop()
  }
}
