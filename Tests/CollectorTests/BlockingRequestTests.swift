import Measurement
import Providers
import TestTraits
import Testing
import TransportTestKit

@testable import Collector

@Suite(
  .ownThread, .serialized, .enabled(if: Tool.hasPythonH2, "python3 with h2, or openssl, is not installed"),
  .timeLimit(.minutes(10)))
struct BlockingRequestTests {
  private static var client: BlockingRequest {
    BlockingRequest(
      caFile: TestCertificate.good?.certificate, timeout: .milliseconds(1500), clock: SystemClock())
  }

  private static func form(_ url: String) -> PushRequest {
    PushRequest(
      url: url, headers: [HeaderField("content-type", "application/x-www-form-urlencoded")],
      body: Array("grant_type=x".utf8))
  }

  @Test func bringsTheAnswerAndWhatItTook() throws {
    let server = try ServerProcess.scripted([
      "--bad", "1", "--behavior", "status:401,3", "--reason", "invalid_grant",
    ])
    let answer = try Self.client.perform(Self.form(TransportRun.https(server, path: "/token"))).get()
    #expect(answer.response.status == 401)
    #expect(answer.response.headers["retry-after"] == "3")
    #expect(String(decoding: answer.response.body, as: UTF8.self).contains("invalid_grant"))
    #expect(answer.took > .zero)
    #expect(answer.timing.contains("ms (dns ") && answer.timing.contains("tls "))
  }

  @Test func whatGoesWrongIsSaidInWords() throws {
    let server = try ServerProcess.scripted(["--bad", "9", "--behavior", "silence"])
    let url = TransportRun.https(server)
    guard case .failure(let silence) = Self.client.perform(Self.form(url)) else {
      Issue.record("an answer out of silence")
      return
    }
    #expect(silence.message.lowercased().contains("timed out") || silence.message.contains("timeout"))
    var stranger = Self.client
    stranger.caFile = TestCertificate.stranger?.certificate
    guard case .failure(let untrusted) = stranger.perform(Self.form(url)) else {
      Issue.record("a certificate of nobody was trusted")
      return
    }
    #expect(untrusted.message.contains("certificate"))
  }

  @Test(arguments: ["big:200000", "headers:100000", "headers:300000"]) func anAnswerWithoutEndIsNone(
    behavior: String
  ) throws {
    let server = try ServerProcess.scripted(["--bad", "1", "--behavior", behavior])
    guard case .failure(let failure) = Self.client.perform(Self.form(TransportRun.https(server))) else {
      Issue.record("\(behavior) was taken")
      return
    }
    #expect(!failure.message.isEmpty)
  }

  @Test func itCanBeCalledOff() throws {
    let server = try ServerProcess.scripted(["--bad", "9", "--behavior", "silence"])
    var client = Self.client
    client.timeout = .seconds(60)
    client.isCancelled = { true }
    guard case .failure = client.perform(Self.form(TransportRun.https(server))) else {
      Issue.record("an answer out of silence")
      return
    }
  }
}
