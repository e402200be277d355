import Measurement
import Store
import Testing

@testable import Collector
@testable import Configuration
@testable import Transport

@Suite struct TargetBuilderTests {
  private static func ntfy(
    host: String = "ntfy.sh", rate: ArrivalRate?, subscribe: Bool = false
  ) throws -> TargetConfiguration {
    TargetConfiguration(
      name: "news", endpoint: Endpoint(scheme: .https, host: host, port: 443),
      schedule: ScheduleConfiguration(arrivals: .constant, rate: try #require(rate)),
      settings: .ntfy(NtfySettings(topic: "probe", subscribe: subscribe)))
  }

  private static func options(rate: ArrivalRate? = nil, allowed: Bool = false) -> CollectorOptions {
    CollectorOptions(storePath: "/nonexistent", rate: rate, allowsAboveProviderLimit: allowed)
  }

  @Test func aScheduleAboveTheLimitIsRefused() throws {
    let fast = try Self.ntfy(rate: ArrivalRate(4, per: .seconds(1)))
    do {
      _ = try TargetBuilder(fast, options: Self.options())
      Issue.record("4/s to ntfy.sh")
    } catch let error as CollectorError {
      #expect(error.code == .providerLimit)
      #expect(error.description.contains("target news") && error.description.contains("4/s"))
      #expect(error.description.contains("ntfy.sh allows"))
    }
    let allowed = try TargetBuilder(fast, options: Self.options(allowed: true))
    #expect(allowed.limits.provider.isEmpty)
    // The rate on the command line counts, not the file's.
    let slow = try TargetBuilder(fast, options: Self.options(rate: .every(.seconds(600))))
    #expect(slow.limits.provider.count == 2)
    // A server of one's own has its own limits.
    let own = try Self.ntfy(host: "ntfy.example.com", rate: ArrivalRate(4, per: .seconds(1)))
    #expect(try TargetBuilder(own, options: Self.options()).limits.provider.isEmpty)
  }

  /// Both of ntfy.sh's limits, and what the schedule's default asks for.
  @Test func namesEveryLimitThatIsExceeded() throws {
    let usual = try Self.ntfy(rate: .every(.seconds(15)))
    #expect(
      TargetBuilder.exceededLimits(of: usual).map(\.description) == [
        "ntfy.sh allows a visitor 250 messages a day"
      ])
    let fast = try Self.ntfy(rate: ArrivalRate(4, per: .seconds(1)))
    #expect(TargetBuilder.exceededLimits(of: fast).count == 2)
    #expect(throws: CollectorError.self) { try TargetBuilder(fast, options: Self.options()) }
    let apns = TargetConfiguration(
      name: "ios", endpoint: Endpoint(scheme: .https, host: "api.push.apple.com", port: 443),
      settings: .apns(
        APNsSettings(
          deviceToken: .text(Secret("00ff")), topic: "a.b", pushType: .background,
          credentials: .token(
            signingKey: .text(Secret("x")), keyID: "ABC123DEFG", teamID: "DEF123GHIJ"))))
    #expect(TargetBuilder.exceededLimits(of: apns).count == 1, "at the default schedule")
  }

  @Test func onlyASubscriberHearsItself() throws {
    let rate = ArrivalRate.every(.seconds(15))
    let deaf = try TargetBuilder(
      Self.ntfy(host: "ntfy.example.com", rate: rate), options: Self.options())
    #expect(!deaf.hearsItself)
    let hearing = try TargetBuilder(
      Self.ntfy(host: "ntfy.example.com", rate: rate, subscribe: true), options: Self.options())
    #expect(hearing.hearsItself)
  }

  @Test func variantsAreSentInTheirOrder() throws {
    var target = try Self.ntfy(host: "ntfy.example.com", rate: .every(.seconds(1)))
    let single = try TargetBuilder(target, options: Self.options())
    #expect(single.description.variants == [])
    target.variants = [1, 5].map { (priority: Int) in
      TargetVariant(
        name: "priority=\(priority)", settings: .ntfy(NtfySettings(topic: "probe", priority: priority)))
    }
    let assembly = try TargetBuilder(target, options: Self.options())
    #expect(assembly.description.variants == ["priority=1", "priority=5"])
    let numbers = [VariantID(rawValue: 3), VariantID(rawValue: 4)]
    let transport = try assembly.transportTarget(
      id: TargetID(rawValue: 1), seed: 1, authenticator: nil,
      readiness: Readiness(credentials: InitialCredentials()),
      variants: numbers)
    #expect(transport.variants == numbers)
    #expect(transport.providers.count == 2)
    #expect(transport.credential == .fixed)
    #expect(transport.unspecifiedRetryDelay == .afterTooMany && transport.backoff == ErrorBackoff())
  }
}
