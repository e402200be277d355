import Analysis
import Measurement
import Report
import Testing

@Suite struct GateParsingTests {
  @Test(
    "a gate reads as it can be written",
    arguments: [
      ("delivery.p99<250ms", "delivery.p99<250ms"),
      (" accept.p99.9 < 1s ", "accept.p99.9<1s"),
      ("service.p50<1500us", "service.p50<1500us"),
      ("delivery within 2s share 99%", "delivery within 2s share 99%"),
      ("within 1m30s share 0.999", "within 90s share 99.9%"),
      ("accept  within 500ms share 95% over accepted", "accept within 500ms share 95% over accepted"),
      ("delivery within 2s share 99.95% over planned", "delivery within 2s share 99.95%"),
      ("lost<1%", "lost<1%"),
      (" failed < 0.5% ", "failed<0.5%"),
      ("refused<0.001", "refused<0.1%"),
      ("unseen<1%", "unseen<1%"),
      ("in_time(2s)>99%", "within 2s share 99%"),
      ("in_time( 1m30s ) > 99.9%", "within 90s share 99.9%"),
    ])
  func valid(text: String, canonical: String) throws {
    let gate = try Gate(parsing: text)
    #expect(gate.text() == canonical)
    #expect(try Gate(parsing: gate.text()) == gate)
  }

  @Test func whatIsRead() throws {
    #expect(
      try Gate(parsing: "delivery.p99<250ms") == Gate(.delivery, .quantile(.p99, below: .milliseconds(250))))
    #expect(
      try Gate(parsing: "within 2s share 99% over accepted")
        == Gate(nil, .share(0.99, within: .seconds(2), of: .accepted)))
    #expect(try Gate(parsing: "delivery.p99<1500ns").text() == "delivery.p99<1us")
    #expect(throws: GateSyntaxError.self) { try Gate(parsing: "delivery.p99<500ns") }
    #expect(try Gate(parsing: "lost<1%") == Gate(nil, .watched(.lost, below: 0.01)))
    #expect(try Gate(parsing: "in_time(2s)>99%") == Gate(parsing: "within 2s share 99%"))
  }

  @Test(
    "an error says at which character, and what would be right",
    arguments: [
      ("", 1, "it is empty"),
      ("   ", 4, "it is empty"),
      ("delivry.p99<250ms", 1, "there is no metric \"delivry\""),
      (".p99<250ms", 1, "a metric is missing"),
      ("delivery<250ms", 9, "a point and a quantile are missing"),
      ("delivery.99<250ms", 10, "is not a quantile"),
      ("delivery.p100<250ms", 10, "is not a quantile"),
      ("delivery.p99 250<ms", 14, "\"<\" is missing"),
      ("delivery.p99<=250ms", 14, "compared with \"<\" only"),
      ("delivery.p99>250ms", 13, "compared with \"<\" only"),
      ("delivery.p99 >= 250ms", 14, "compared with \"<\" only"),
      ("delivery.p99=250ms", 13, "compared with \"<\" only"),
      ("delivery>250ms", 9, "a point and a quantile are missing"),
      ("delivery within 2s share >99%", 26, "is not a share"),
      ("delivery.p99<", 14, "a value is missing"),
      ("delivery.p99<250", 14, "is not a duration"),
      ("delivery.p99<0s", 14, "a limit is at least 1 µs"),
      ("delivery.p99<250ms and more", 20, "nothing can follow"),
      ("delivery", 9, "\"within\" and a duration are missing"),
      ("delivery within", 16, "a value is missing"),
      ("delivery within soon share 99%", 17, "is not a duration"),
      ("delivery within 2s", 19, "\"share\" and a percentage are missing"),
      ("delivery within 2s share 100%", 26, "out of range"),
      ("delivery within 2s share lots", 26, "is not a share"),
      ("delivery within 2s share 99% of planned", 30, "nothing but \"over\""),
      ("delivery within 2s share 99% over all", 35, "planned or accepted"),
      ("delivery within 2s share 99% over planned too", 43, "nothing can follow"),
      ("lost", 5, "\"<\" is missing"),
      ("lost>1%", 5, "the share lost is compared with \"<\" only"),
      ("lost <= 1%", 7, "compared with \"<\" only"),
      ("lost<", 6, "a value is missing"),
      ("lost<1s", 6, "is not a share"),
      ("lost<0%", 6, "out of range"),
      ("lost<100%", 6, "out of range"),
      ("lost<1% over planned", 9, "nothing can follow"),
      ("lost.p99<1%", 5, "\"<\" is missing"),
      ("lost within 2s share 99%", 6, "\"<\" is missing"),
      ("losses<1%", 1, "there is no metric \"losses\""),
      ("in_time>99%", 8, "a duration in parentheses is missing"),
      ("in_time()>99%", 9, "a value is missing"),
      ("in_time(2)>99%", 9, "is not a duration"),
      ("in_time(0s)>99%", 9, "a limit is at least 1 µs"),
      ("in_time(2s>99%", 11, "\")\" is missing"),
      ("in_time(2s)<99%", 12, "compared with \">\" only"),
      ("in_time(2s) 99%", 13, "\">\" is missing"),
      ("in_time(2s)>100%", 13, "out of range"),
      ("\u{1B}[2J within 2s share 99%", 1, "there is no metric \"␛[2J\""),
    ])
  func invalid(text: String, position: Int, problem: String) throws {
    let error = try #require(throws: GateSyntaxError.self) { try Gate(parsing: text) }
    #expect(error.position == position, "\(error)")
    #expect(error.problem.contains(problem), "\(error)")
    #expect(!error.remedy.isEmpty && !error.description.contains("\u{1B}"))
  }

  @Test func aTextOfAnyLengthEnds() {
    #expect(throws: GateSyntaxError.self) { try Gate(parsing: String(repeating: "<", count: 100_000)) }
    #expect(throws: GateSyntaxError.self) { try Gate(parsing: String(repeating: "within ", count: 10_000)) }
  }
}
