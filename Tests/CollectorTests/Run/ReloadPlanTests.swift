import Configuration
import TestKit
import TestTraits
import Testing

@testable import Collector

@Suite("What a reload can change and what needs a restart", .ownThread)
struct ReloadPlanTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory("plan")
    for name in ["secret", "key", "certificate", "other"] { try directory.write(name, "0123456789abcdef\n") }
  }

  private func load(_ sections: String) throws -> PushscopeConfiguration {
    let file = try directory.write(
      "c.yaml", "targets: [{ name: a, provider: http, endpoint: 'https://127.0.0.1:1' }]\n" + sections + "\n")
    return try PushscopeConfiguration.load(path: file, environment: [:])
  }

  struct Case: CustomTestStringConvertible {
    var former: String
    var next: String
    var restart: [String] = []
    var taken: [String] = []
    var testDescription: String { "\(former) -> \(next)" }
  }

  private static let receipts =
    "collector: { receipts: { listen: 127.0.0.1:1, certificate_file: certificate, key_file: key, secret_file: secret } }"
  private static let exposed =
    "service: { listen: 0.0.0.0:1, certificate_file: certificate, key_file: key, username: a, password_file: secret }"

  @Test(
    "each key that a listener or the store cannot change is named",
    arguments: [
      Case(former: "", next: ""),
      Case(
        former: "collector: { durability: normal }", next: "collector: { durability: full }",
        restart: ["collector.durability"]),
      Case(
        former: receipts, next: receipts.replacing("127.0.0.1:1", with: "127.0.0.1:2"),
        restart: ["collector.receipts.listen"]),
      Case(former: receipts, next: "", restart: ["collector.receipts"]),
      Case(former: "", next: receipts, restart: ["collector.receipts"]),
      Case(
        former: "service: { listen: 127.0.0.1:1 }", next: "service: { listen: 127.0.0.1:2 }",
        restart: ["service.listen"]),
      Case(
        former: "service: { listen: 127.0.0.1:1 }",
        next: "service: { listen: 127.0.0.1:1, certificate_file: certificate, key_file: key }",
        restart: ["service.certificate_file"]),
      Case(
        former: "service: { listen: 127.0.0.1:1 }",
        next: "service: { listen: 127.0.0.1:1, allow_reload: true }", taken: ["service"]),
      Case(former: exposed, next: exposed.replacing("username: a", with: "username: b"), taken: ["service"]),
      Case(
        former: exposed, next: exposed.replacing("file: certificate", with: "file: other"),
        taken: ["service"]),
      Case(former: "service: { listen: 127.0.0.1:1 }", next: "", restart: ["service"]),
      Case(former: "", next: "service: { listen: 127.0.0.1:1 }", restart: ["service"]),
      Case(
        former: "", next: "labels: { a: b }\nservice: { listen: 127.0.0.1:1 }",
        restart: ["service", "labels"]),
      Case(
        former: "service: { listen: 127.0.0.1:1 }",
        next:
          "service: { listen: 127.0.0.1:1 }\nlabels: { a: b }\nobjectives: [{ name: o, target: a, silence: 10m }]\n"
          + "alerts: { command: [ /bin/true ] }\nretention: { samples: 30d }",
        taken: ["retention", "labels", "objectives", "alerts"]),
    ])
  func keys(_ example: Case) throws {
    let (former, next) = (try load(example.former), try load(example.next))
    let plan = ReloadPlan(from: former, to: next)
    #expect(plan.restart == example.restart)
    #expect(plan.taken == example.taken)
    #expect((plan.remedy == nil) == example.restart.isEmpty)
    for key in example.restart {
      #expect(plan.remedy?.contains(key) == true && plan.remedy?.contains("systemctl restart") == true)
    }
    // What needs a restart is as it was, so that the next reload names it again.
    #expect(ReloadPlan(from: plan.configuration, to: next).restart == example.restart)
  }

  @Test("an address that stays keeps the password that it needs")
  func exposedAddress() throws {
    let former = try load(Self.exposed)
    let plan = ReloadPlan(from: former, to: try load("service: { listen: 127.0.0.1:1 }"))
    #expect(plan.restart == ["service.listen", "service.certificate_file"])
    #expect(plan.configuration.service == former.service)
    #expect(plan.configuration.service?.authentication != nil)
  }
}
