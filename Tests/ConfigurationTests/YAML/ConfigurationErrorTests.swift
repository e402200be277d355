import TestKit
import Testing

@testable import Configuration

/// A mistake and what is said about it.
struct Mistake: Sendable, CustomTestStringConvertible {
  let text: String
  let place: String
  let key: String
  let message: String
  let remedy: String

  init(_ text: String, _ place: String, _ key: String, _ message: String, _ remedy: String) {
    self.text = text
    self.place = place
    self.key = key
    self.message = message
    self.remedy = remedy
  }

  var testDescription: String { message }

  /// A configuration with one good loopback target that ends in these lines.
  static func inTarget(
    _ lines: String, _ place: String, _ key: String, _ message: String, _ remedy: String
  ) -> Mistake {
    Mistake(
      "targets:\n  - name: a\n    provider: loopback\n    endpoint: https://127.0.0.1:8471\n" + lines, place,
      key,
      message, remedy)
  }

  /// The same with an http target.
  static func inHook(
    _ lines: String, _ place: String, _ key: String, _ message: String, _ remedy: String
  ) -> Mistake {
    Mistake(
      "targets:\n  - name: a\n    provider: http\n    endpoint: https://127.0.0.1:8471\n" + lines, place, key,
      message, remedy)
  }

  /// A configuration whose collector has these lines.
  static func inCollector(
    _ lines: String, _ place: String, _ key: String, _ message: String, _ remedy: String
  ) -> Mistake {
    Mistake(
      "targets: [{ name: a, provider: loopback, endpoint: 'https://127.0.0.1:8471' }]\ncollector:\n" + lines,
      place,
      key, message, remedy)
  }
}

@Suite struct ConfigurationErrorTests {
  static let mistakes: [Mistake] = [
    // Keys.
    .inTarget(
      "    schedule: { rat: 4/s }\n", "c.yaml:5:17", "targets[0].schedule.rat", "there is no such key",
      "did you mean \"rate\"? (keys here: arrivals, rate, every, jitter, burst)"),
    .inTarget(
      "    max_inflight: 10\n", "c.yaml:5:5", "targets[0].max_inflight", "there is no such key",
      "did you mean \"max_in_flight\"?"),
    .inTarget(
      "    zzz: 1\n", "c.yaml:5:5", "targets[0].zzz", "there is no such key", "keys here: name, provider"),
    .inTarget(
      "    method: POST\n", "c.yaml:5:5", "targets[0].method", "there is no such key",
      "keys here: name, provider"),
    Mistake(
      "collector: { analyst: false }\ntargets: [{ name: a, provider: loopback, endpoint: 'https://h' }]\n",
      "c.yaml:1:23", "collector.analyst", "\"false\" is not a valid value", "did you mean \"off\"?"),
    .inTarget("    ? [a]\n    : 1\n", "c.yaml:5:7", "targets[0]", "a key must be a plain word", "keys: name"),
    .inTarget("    <<: { timeout: 1s }\n", "c.yaml:5:5", "targets[0].<<", "there is no such key", "merging"),
    Mistake(
      "target: []\ntargets: [{ name: a, provider: loopback, endpoint: 'https://h' }]\n", "c.yaml:1:1",
      "target",
      "there is no such key", "did you mean \"targets\"?"),
    .inTarget(
      "    timeout: 1s\n    # a comment\n    timeout: 2s\n", "c.yaml:7:5", "timeout",
      "the key is given twice (first on line 5)", "keep one"),
    Mistake("targets: []\n\"targets\": []\n", "c.yaml:2:1", "targets", "twice (first on line 1)", "keep one"),
    Mistake("{ a: 1, a: 2 }\n", "c.yaml:1:3", "a", "the key is given twice", "keep one"),
    .inTarget(
      "    schedule: { rate: 4/s, every: 15s }\n", "c.yaml:5:35", "targets[0].schedule.every",
      "cannot be combined with \"rate\"", "keep one of the two"),
    .inTarget(
      "    schedule: { arrivals: poisson }\n", "c.yaml:5:15", "targets[0].schedule", "does not say how often",
      "add `rate: 4/s` or `every: 15s`"),
    // Back-off.
    .inTarget(
      "    backoff: 10s\n", "c.yaml:5:14", "targets[0].backoff", "where keys are required",
      "first, longest, probe_every"),
    .inTarget(
      "    backoff: { frist: 10s }\n", "c.yaml:5:16", "targets[0].backoff.frist", "there is no such key",
      "did you mean \"first\"?"),
    .inTarget(
      "    backoff: { first: 1ms }\n", "c.yaml:5:23", "targets[0].backoff.first", "1ms is out of range",
      "from 1s to 1h"),
    .inTarget(
      "    backoff: { longest: 10d }\n", "c.yaml:5:25", "targets[0].backoff.longest", "10d is out of range",
      "from 1s to 1d"),
    .inTarget(
      "    backoff: { first: 5m, longest: 4m }\n", "c.yaml:5:36", "targets[0].backoff.longest",
      "4m is shorter than the first pause", "write a duration from 5m to 1d"),
    .inTarget(
      "    backoff: { longest: 9s }\n", "c.yaml:5:25", "targets[0].backoff.longest",
      "9s is shorter than the first pause", "write a duration from 10s to 1d"),
    .inTarget(
      "    backoff: { probe_every: 9s }\n", "c.yaml:5:29", "targets[0].backoff.probe_every",
      "\"9s\" is out of range", "write a duration from 10s to 60s, or off"),
    .inTarget(
      "    backoff: { probe_every: 61s }\n", "c.yaml:5:29", "targets[0].backoff.probe_every",
      "\"61s\" is out of range", "write a duration from 10s to 60s, or off"),
    .inTarget(
      "    backoff: { probe_every: never }\n", "c.yaml:5:29", "targets[0].backoff.probe_every",
      "\"never\" is neither a duration nor off", "write a duration from 10s to 60s, or off"),
    // The path.
    .inTarget(
      "    path_probe: 99ms\n", "c.yaml:5:17", "targets[0].path_probe", "\"99ms\" is out of range",
      "write a duration from 100ms to 1h, or off"),
    .inTarget(
      "    path_probe: never\n", "c.yaml:5:17", "targets[0].path_probe",
      "\"never\" is neither a duration nor off", "write a duration from 100ms to 1h, or off"),
    Mistake(
      "targets:\n  - { name: a, provider: http, endpoint: 'https://h', path_probe: 1s }\n", "c.yaml:2:67",
      "targets[0].path_probe", "\"1s\" is out of range", "write a duration from 10s to 1h, or off"),
    Mistake(
      "targets:\n  - { name: a, provider: http, endpoint: 'http://h', path_probe: 10s }\n", "c.yaml:2:66",
      "targets[0].path_probe", "PING needs HTTP/2", "make the endpoint https"),
    // Missing keys.
    Mistake(
      "collector: { durability: full }\n", "c.yaml:1:1", "", "needs the key \"targets\"", "add a line like"),
    Mistake(
      "targets: [{ name: a }]\n", "c.yaml:1:11", "targets[0]", "needs the key \"provider\"", "provider: loop"),
    Mistake(
      "targets: [{ name: a, provider: http }]\n", "c.yaml:1:11", "targets[0]", "needs the key \"endpoint\"",
      "add a line like `endpoint: https://127.0.0.1:8471`"),
    Mistake(
      "targets: [{ provider: http, endpoint: 'https://h' }]\n", "c.yaml:1:11", "targets[0]",
      "needs the key \"name\"", "add a line like `name: http`"),
    .inCollector(
      "  receipts: { listen: 127.0.0.1:1 }\n", "c.yaml:3:13", "collector.receipts",
      "needs the key \"secret_file\"", "add a line like `secret_file: receipts.secret`"),
    // Types.
    Mistake(
      "targets: here\n", "c.yaml:1:10", "targets", "is a single value where a list is required", "`- `"),
    Mistake("targets: []\n", "c.yaml:1:10", "targets", "is empty", "at least one target"),
    Mistake("targets:\n", "c.yaml:1:9", "targets", "has no value", "give one, or delete the key"),
    Mistake(
      "targets: [a]\n", "c.yaml:1:11", "targets[0]", "is a single value where keys are required",
      "name, provider"),
    Mistake(
      "- a\n", "c.yaml:1:1", "", "is a list where keys are required",
      "collector, dashboard, retention, targets, devices, service, labels, objectives, alerts"),
    Mistake("# nothing\n", "c.yaml", "", "the file has no content", "required keys"),
    .inTarget("    timeout:\n", "c.yaml:5:13", "targets[0].timeout", "has no value", "delete the key"),
    .inTarget("    timeout: ~\n", "c.yaml:5:14", "targets[0].timeout", "has no value", "delete the key"),
    .inTarget(
      "    timeout: [1s]\n", "c.yaml:5:14", "targets[0].timeout", "is a list where a single", "colon"),
    .inTarget(
      "    timeout: 10\n", "c.yaml:5:14", "targets[0].timeout", "\"10\" is not a duration", "250ms, 30s"),
    .inTarget(
      "    max_lag: -1s\n", "c.yaml:5:14", "targets[0].max_lag", "\"-1s\" is not a duration", "250ms"),
    .inTarget(
      "    max_in_flight: many\n", "c.yaml:5:20", "targets[0].max_in_flight",
      "\"many\" is not a whole number",
      "from 1 to 100000"),
    .inTarget(
      "    schedule: 4/s\n", "c.yaml:5:15", "targets[0].schedule", "where keys are required", "rate, every"),
    // Values.
    .inTarget(
      "    timeout: 0s\n", "c.yaml:5:14", "targets[0].timeout", "0s is out of range", "from 1ms to 10m"),
    .inTarget(
      "    max_in_flight: 0\n", "c.yaml:5:20", "targets[0].max_in_flight", "\"0\" is out of range",
      "from 1 to"),
    .inTarget(
      "    schedule: { rate: 4 }\n", "c.yaml:5:23", "targets[0].schedule.rate", "\"4\" is not a rate",
      "30/min"),
    .inTarget(
      "    schedule: { rate: 0/s }\n", "c.yaml:5:23", "targets[0].schedule.rate", "\"0/s\" is out of range",
      "100000/s"),
    .inTarget(
      "    schedule: { rate: 4/s, arrivals: poison }\n", "c.yaml:5:38", "targets[0].schedule.arrivals",
      "\"poison\" is not a valid value",
      "did you mean \"poisson\"? (values: constant, poisson, jittered, burst)"),
    .inTarget(
      "    schedule: { rate: 4/s, arrivals: jittered, jitter: 150% }\n", "c.yaml:5:56",
      "targets[0].schedule.jitter", "\"150%\" is not a share", "a percentage like 1%"),
    .inTarget(
      "    schedule: { rate: 4/s, jitter: 50% }\n", "c.yaml:5:36", "targets[0].schedule.jitter",
      "has no effect with constant arrivals", "write `arrivals: jittered`, or delete this line"),
    .inTarget(
      "    schedule: { rate: 4/s, arrivals: burst, burst: 1 }\n", "c.yaml:5:52", "targets[0].schedule.burst",
      "\"1\" is out of range", "from 2 to 10000"),
    .inTarget(
      "    schedule: { rate: 4/s, arrivals: poisson, burst: 5 }\n", "c.yaml:5:54",
      "targets[0].schedule.burst",
      "has no effect with poisson arrivals", "write `arrivals: burst`, or delete this line"),
    Mistake(
      "targets: [{ name: a, provider: loopbak }]\n", "c.yaml:1:32", "targets[0].provider",
      "\"loopbak\" is not a valid value", "did you mean \"loopback\"?"),
    Mistake(
      "targets: [{ name: a b, provider: http, endpoint: 'https://h' }]\n", "c.yaml:1:19", "targets[0].name",
      "\"a b\" is not a target name", "letters, digits"),
    Mistake(
      "targets:\n- { name: a, provider: http, endpoint: 'https://h' }\n- { name: a, provider: http, endpoint: 'https://i' }\n",
      "c.yaml:3:3", "targets[1]", "is another target named \"a\"", "a name of its own"),
    Mistake(
      "targets: [{ name: a, provider: http, endpoint: push.example.com }]\n", "c.yaml:1:48",
      "targets[0].endpoint", "\"push.example.com\" is not an https or http URL", "https://push.example.com"),
    Mistake(
      "targets: [{ name: a, provider: loopback, endpoint: 'http://h' }]\n", "c.yaml:1:52",
      "targets[0].endpoint",
      "is not https", "write https://"),
    Mistake(
      "targets: [{ name: a, provider: loopback, endpoint: 'https://h/x' }]\n", "c.yaml:1:52",
      "targets[0].endpoint", "has a path", "pushscope adds the path"),
    Mistake(
      "targets: [{ name: a, provider: http, endpoint: 'http://h', ca_file: loopback/ca.pem }]\n",
      "c.yaml:1:69",
      "targets[0].ca_file", "has no effect with an http URL", "make the endpoint https"),
    .inTarget(
      "    receipt_deadline: 30s\n", "c.yaml:5:23", "targets[0].receipt_deadline",
      "needs a receipt listener", "collector.receipts"),
    .inHook(
      "    receipt_deadline: 30s\n", "c.yaml:5:23", "targets[0].receipt_deadline", "has no effect", "delete"),
    .inTarget("    priority: 7\n", "c.yaml:5:15", "targets[0].priority", "7 is not a priority", "10, 5 or 1"),
    .inTarget(
      "    priority: 10\n    push_type: background\n", "c.yaml:5:15", "targets[0].priority",
      "10 does not go with push_type: background", "write 5"),
    .inHook(
      "    success: 100-299\n", "c.yaml:5:14", "targets[0].success",
      "\"100-299\" is not a set of HTTP statuses", "200-299"),
    .inHook(
      "    method: DELETE\n", "c.yaml:5:13", "targets[0].method", "\"DELETE\" is not a valid value",
      "POST, PUT"),
    .inHook(
      "    headers: { 'a b': c }\n", "c.yaml:5:23", "targets[0].headers.a b", "is not a header name",
      "x-probe"),
    .inHook(
      "    headers: { Content-Length: 3 }\n", "c.yaml:5:32", "targets[0].headers.Content-Length",
      "cannot be set", "delete it"),
    .inHook(
      "    headers: { X-A: 1, x-a: 2 }\n", "c.yaml:5:29", "targets[0].headers.x-a", "is given twice",
      "keep one"),
    .inHook(
      "    headers: { x: \"a\\u0007\" }\n", "c.yaml:5:19", "targets[0].headers.x",
      "contains control characters",
      "remove them"),
    .inCollector(
      "  durability: ful\n", "c.yaml:3:15", "collector.durability", "\"ful\" is not a valid value",
      "did you mean \"full\"?"),
    // The environment.
    .inHook(
      "    headers: { authorization: \"Bearer ${NO_SUCH}\" }\n", "c.yaml:5:31",
      "targets[0].headers.authorization", "the environment variable NO_SUCH is not set", "$${"),
    .inHook(
      "    headers: { authorization: \"${}\" }\n", "c.yaml:5:31", "targets[0].headers.authorization",
      "has a broken ${ reference", "${NAME}"),
    // Files.
    .inTarget(
      "    ca_file: no.pem\n", "c.yaml:5:14", "targets[0].ca_file", "there is no file \"no.pem\"",
      "create it or correct the path"),
    .inTarget(
      "    ca_file: loopback\n", "c.yaml:5:14", "targets[0].ca_file", "is a directory", "another file"),
    .inTarget(
      "    ca_file: /dev/null\n", "c.yaml:5:14", "targets[0].ca_file", "not a regular file", "another file"),
    .inCollector(
      """
        receipts:
          listen: 127.0.0.1:8443
          certificate_file: loopback/server.pem
          key_file: loopback/server.key
          secret_file: open.secret

      """, "c.yaml:7:18", "collector.receipts.secret_file",
      "\"open.secret\" contains a secret, but others may read it (mode 644)", "run: chmod 600 open.secret"),
    .inCollector(
      """
        receipts:
          listen: 127.0.0.1:8443
          certificate_file: loopback/server.pem
          key_file: loopback/server.key
          secret_file: short.secret

      """, "c.yaml:7:18", "collector.receipts.secret_file", "has 3 bytes, too few for a secret",
      "openssl rand -hex 32"),
    .inCollector(
      """
        receipts:
          listen: 8443
          certificate_file: loopback/server.pem
          key_file: empty.secret
          secret_file: loopback/receipts.secret

      """, "c.yaml:4:13", "collector.receipts.listen", "\"8443\" is not an address to listen on",
      "127.0.0.1:8443"),
    // Not YAML.
    Mistake("targets: [\n", "c.yaml:2:1", "", "not YAML:", "check indentation"),
    Mistake("a: b: c\n", "c.yaml:1:5", "", "not YAML: mapping values are not allowed", "check indentation"),
    Mistake("a: [::1]:8443\n", "c.yaml:1:5", "", "not YAML:", "in quotes, like '[::1]:8443'"),
    Mistake("a: 'b\n", "c.yaml:2:1", "", "not YAML:", "quotes"),
    Mistake("a: *b\n", "c.yaml:1:4", "", "not YAML: found undefined alias", "check"),
    Mistake("a: 1\nb: \u{1}\n", "c.yaml:2:4", "", "not YAML: control characters are not allowed", "check"),
    Mistake("a: 1\n---\nb: 2\n", "c.yaml:2:1", "", "not YAML:", "check"),
  ]

  @Test(arguments: mistakes) func isNamedWithPlaceKeyAndRemedy(_ mistake: Mistake) throws {
    let problems = try problems(in: mistake.text)
    let found = problems.first { $0.message.contains(mistake.message) }
    let problem = try #require(found, "found only \(problems)")
    #expect(problem.place.description == mistake.place)
    #expect(problem.key == mistake.key)
    #expect(problem.remedy.contains(mistake.remedy), "\(problem.remedy)")
  }

  @Test func allMistakesAreToldAtOnceInTheOrderOfTheFile() throws {
    let problems = try problems(
      in: """
        targets:
          - name: a
            provider: loopback
            endpoint: nowhere
            timeout: soon
            schedule: { rate: often, arrivals: rarely }
          - { name: b, provider: carrier-pigeon }
        colector: {}
        """)
    #expect(
      problems.map { "\($0.place.line ?? 0) \($0.key)" } == [
        "4 targets[0].endpoint", "5 targets[0].timeout", "6 targets[0].schedule.rate",
        "6 targets[0].schedule.arrivals", "7 targets[1].provider", "8 colector",
      ])
  }

  private static let good = "targets: [{ name: a, provider: loopback, endpoint: 'https://h' }]\n"

  @Test(
    "a misspelled key is not also reported as missing",
    arguments: [
      "target: [{ name: a, provider: loopback, endpoint: 'https://h' }]\n",
      "targets: [{ name: a, provider: loopback, endpoin: 'https://h' }]\n",
      "targets: [{ name: a, provider: loopback, endpoint: 'https://h', schedule: { rat: 4/s } }]\n",
      "targets: [{ name: a, provider: loopback, endpoint: 'https://h', schedule: { evry: 15s } }]\n",
      "devics: {}\n",
      "service: { listen: 127.0.0.1:1, username: a, password_fil: s }\n\(good)",
      "service: { listen: '0.0.0.0:1', certificate_fil: a, key_fil: b, usernam: c, password_fil: d }\n\(good)",
      "alerts: { webhok: {} }\n\(good)",
      "alerts: { webhook: { ur: '${U}' } }\n\(good)",
      "fleet: { url: 'http://127.0.0.1:1', writr: {} }\n\(good)",
      "objectives: [{ name: a, target: a, silense: 10m }]\n\(good)",
    ])
  func misspelled(text: String) throws {
    let found = try problems(in: text)
    #expect(!found.isEmpty && found.allSatisfy { $0.message == "there is no such key" }, "\(found)")
  }

  @Test func aSecretFromTheEnvironmentIsNeverQuoted() throws {
    let text = """
      targets:
        - { name: a, provider: http, endpoint: "${URL}", timeout: "${T}", success: "${S}" }
      """
    let problems = try problems(
      in: text, environment: ["URL": "hunter2", "T": "hunter2", "S": "hunter2"])
    #expect(problems.count == 3)
    #expect(problems.allSatisfy { !$0.description.contains("hunter2") })
  }

  @Test func aPasswordInAnEndpointIsNeverQuoted() throws {
    let text = "targets: [{ name: a, provider: http, endpoint: 'https://me:hunter2@h/x' }]"
    let problem = try #require(try problems(in: text).first)
    #expect(problem.message == "\"https://…@h\" contains a user or password")
    #expect(problem.remedy.contains("${ENV}"))
  }

  @Test func hostileTextIsQuotedHarmlessly() throws {
    let text = "targets: [{ name: \"\\e[31m\\u202E\", provider: http, endpoint: 'https://h' }]"
    let problem = try #require(try problems(in: text).first)
    #expect(problem.message == "\"␛[31m\\u{202E}\" is not a target name")
  }

  @Test func aFileFullOfMistakesIsNotRecitedWithoutEnd() throws {
    let keys = (0..<500).map { "key\($0): 1" }.joined(separator: "\n")
    #expect(try problems(in: keys).count == 50)
  }

  @Test func filesThatCannotBeReadAreToldApart() throws {
    let directory = try TemporaryDirectory()
    func code(_ path: String) -> ConfigurationError.Code? {
      do throws(ConfigurationError) {
        _ = try PushscopeConfiguration.load(path: path, environment: [:])
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code(directory.path + "/none.yaml") == .missing)
    #expect(code(directory.path) == .unreadable)
    #expect(code(try directory.write("big.yaml", String(repeating: "#\n", count: 600_000))) == .unreadable)
    #expect(code(try directory.write("bad.yaml", "a: [")) == .syntax)
    #expect(code(try directory.write("wrong.yaml", "a: 1")) == .invalid)
  }
}
