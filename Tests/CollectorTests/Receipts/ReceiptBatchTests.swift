import Foundation
import Measurement
import Testing

@testable import Collector

@Suite struct ReceiptBatchTests {
  private static let good = #"{"id":"i","mac":"m","received_at_ms":1,"device":"d"}"#

  private func parse(_ text: String) throws(ReceiptBatch.Malformed) -> [ReceiptBatch.Entry] {
    try ReceiptBatch(json: Data(text.utf8)).entries
  }

  /// A batch of one receipt with a field replaced, added or (with `nil`) taken away.
  private func one(_ key: String, _ value: String?) -> String {
    var fields = ["id": "\"i\"", "mac": "\"m\"", "received_at_ms": "1", "device": "\"d\""]
    fields[key] = value
    return "{\"receipts\":[{\(fields.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}]}"
  }

  @Test func readsWhatInterfaceDocumentsSay() throws {
    let text =
      #"{"receipts":[{"id":"0193","mac":"ab","received_at_ms":1700000000123,"device":"phöne","boot_id":"b","monotonic_ns":5},"#
      + #"{"mac":"m","id":"i","device":"d","received_at_ms":0,"unknown":{"a":[1]},"boot_id":null}],"later":true}"#
    let entries = try parse(text)
    #expect(
      entries == [
        ReceiptBatch.Entry(
          id: "0193", mac: "ab", receivedAt: WallTime(microseconds: 1_700_000_000_123_000), device: "phöne",
          bootID: "b", monotonic: MonotonicTime(nanoseconds: 5), stages: ReceiptStages()),
        ReceiptBatch.Entry(
          id: "i", mac: "m", receivedAt: WallTime(microseconds: 0), device: "d", stages: ReceiptStages()),
      ])
  }

  @Test func readsStages() throws {
    #expect(
      try parse(one("shown_at_ms", #"2,"opened_at_ms":3,"provider_at_ms":4"#))[0].stages
        == ReceiptStages(
          shownAt: WallTime(microseconds: 2000), openedAt: WallTime(microseconds: 3000),
          providerAt: WallTime(microseconds: 4000)))
    for field in ["shown_at_ms", "opened_at_ms", "provider_at_ms"] {
      let error = #expect(throws: ReceiptBatch.Malformed.self) { try parse(one(field, "-1")) }
      #expect(error?.message == "receipts[0].\(field): out of range")
    }
  }

  @Test(
    arguments: [
      (
        #"{"network":"cellular","idle":true,"saver":false}"#,
        #"{"idle":true,"network":"cellular","saver":false}"#
      ),
      // A stranger's words.
      (
        #"{"network":"5g","priority":"urgent","app":""}"#,
        #"{"app":"other","network":"other","priority":"other"}"#
      ),
      (#"{"later":[1],"bucket":null,"priority_sent":"normal"}"#, #"{"priority_sent":"normal"}"#),
    ])
  func readsCircumstances(json: String, text: String) throws {
    let context = try #require(try parse(one("context", json))[0].context)
    #expect(context.text == text)
    #expect(DeviceContext(text: text) == context)
  }

  @Test func cutsText() throws {
    let context = try #require(
      try parse(one("context", #"{"os":"Ω\u001b[31mAndroid 14 with a very long name"}"#))[0].context)
    #expect(context[.os] == "Ω\u{1b}[31mAndroid 14 with a very lo")
    #expect(context[.os]?.utf8.count == DeviceContext.maximumTextBytes)
  }

  @Test(arguments: ["{}", "null", #"{"later":1}"#, #"{"os":""}"#]) func noCircumstances(json: String) throws {
    #expect(try parse(one("context", json))[0].context == nil)
  }

  @Test("circumstances of a wrong type are left out, and cost no receipt")
  func wrongCircumstances() throws {
    for json in ["[]", "7", #"{"idle":"yes"}"#, #"{"network":1}"#] {
      #expect(try parse(one("context", json))[0].context == nil, "\(json)")
    }
    #expect(
      try parse(one("context", #"{"idle":5,"network":"wifi"}"#))[0].context?.text == #"{"network":"wifi"}"#)
  }

  @Test func monotonicTimeMeansNothingWithoutItsBoot() throws {
    #expect(try parse(one("monotonic_ns", "7"))[0].monotonic == nil)
  }

  @Test(arguments: ["", "{", "not JSON"] + ["1.5", "1e300", "99999999999999999999999", "NaN"])
  func wantsJSONWithWholeNumbers(text: String) {
    let error = #expect(throws: ReceiptBatch.Malformed.self) {
      try parse(text.first?.isNumber ?? false ? one("received_at_ms", text) : text)
    }
    #expect(error?.message == "not JSON, or a number that is not whole or too large")
  }

  @Test(
    arguments: [
      ("null", "the body: null"), ("[]", "the body: of the wrong type"),
      ("{}", "receipts: missing"), (#"{"receipts":null}"#, "receipts: null"),
      (#"{"receipts":{}}"#, "receipts: of the wrong type"),
      (#"{"receipts":[]}"#, "receipts: empty, send 1 to 100"),
      (#"{"receipts":[7]}"#, "receipts[0]: of the wrong type"),
      ("{\"receipts\":[\(good),{}]}", "receipts[1].id: missing"),
    ])
  func namesWhatIsWrongWithTheBody(text: String, message: String) {
    let error = #expect(throws: ReceiptBatch.Malformed.self) { try parse(text) }
    #expect(error?.message == message)
  }

  @Test(
    arguments: [
      ("id", nil, "missing"), ("id", "7", "of the wrong type"), ("id", "\"\"", "not a UUID"),
      ("id", "\"\(String(repeating: "x", count: 65))\"", "not a UUID"), ("mac", "true", "of the wrong type"),
      ("mac", "\"\(String(repeating: "x", count: 129))\"", "not a MAC"),
      ("received_at_ms", "\"1\"", "of the wrong type"), ("received_at_ms", "true", "of the wrong type"),
      ("received_at_ms", "-1", "out of range"), ("received_at_ms", "253402300800000", "out of range"),
      ("received_at_ms", "null", "null"),
      ("device", "\"\"", "must have 1 to 128 bytes"),
      ("device", "\"\(String(repeating: "é", count: 65))\"", "must have 1 to 128 bytes"),
      ("boot_id", "\"\(String(repeating: "b", count: 65))\"", "must have 1 to 64 bytes"),
      ("boot_id", "5", "of the wrong type"),
      ("monotonic_ns", "-1", "negative"), ("monotonic_ns", "\"5\"", "of the wrong type"),
    ] as [(String, String?, String)])
  func namesWhatIsWrongWithAField(key: String, value: String?, message: String) {
    let error = #expect(throws: ReceiptBatch.Malformed.self) { try parse(one(key, value)) }
    #expect(error?.message == "receipts[0].\(key): \(message)")
  }

  @Test func readsExchanges() throws {
    let exchange = #"{"t1":1,"t2":2,"t3":9223372036854775807,"t4":4,"device":"d","boot_id":"b","later":[]}"#
    let batch = try ReceiptBatch(json: Data("{\"receipts\":[\(Self.good)],\"clock\":[\(exchange)]}".utf8))
    #expect(
      batch.exchanges == [
        ReceiptBatch.Exchange(t1: 1, t2: 2, t3: .max, t4: 4, device: "d", bootID: "b")
      ])
    let without = try ReceiptBatch(json: Data("{\"receipts\":[\(Self.good)],\"clock\":null}".utf8))
    #expect(without.exchanges.isEmpty)
  }

  @Test(
    arguments: [
      (#"{}"#, "clock[0].t1: missing"), (#"7"#, "clock[0]: of the wrong type"),
      (#"{"t1":-1,"t2":2,"t3":3,"t4":4,"device":"d"}"#, "clock[0].t1: negative"),
      (#"{"t1":1,"t2":-2,"t3":3,"t4":4,"device":"d"}"#, "clock[0].t2: negative"),
      (#"{"t1":1,"t2":2,"t3":-3,"t4":4,"device":"d"}"#, "clock[0].t3: negative"),
      (#"{"t1":1,"t2":2,"t3":3,"t4":-4,"device":"d"}"#, "clock[0].t4: negative"),
      (#"{"t1":1,"t2":2,"t3":3,"t4":"4","device":"d"}"#, "clock[0].t4: of the wrong type"),
      (#"{"t1":1,"t2":2,"t3":3,"t4":4,"device":""}"#, "clock[0].device: must have 1 to 128 bytes"),
      (
        #"{"t1":1,"t2":2,"t3":3,"t4":4,"device":"d","boot_id":""}"#,
        "clock[0].boot_id: must have 1 to 64 bytes"
      ),
    ])
  func namesWhatIsWrongWithAnExchange(text: String, message: String) {
    let error = #expect(throws: ReceiptBatch.Malformed.self) {
      try parse("{\"receipts\":[\(Self.good)],\"clock\":[\(text)]}")
    }
    #expect(error?.message == message)
  }

  @Test func takesOneHundredExchangesAndNoMore() throws {
    func batch(_ count: Int) -> String {
      let exchange = #"{"t1":1,"t2":2,"t3":3,"t4":4,"device":"d"}"#
      let clock = Array(repeating: exchange, count: count).joined(separator: ",")
      return "{\"receipts\":[\(Self.good)],\"clock\":[\(clock)]}"
    }
    #expect(try parse(batch(100)).count == 1)
    #expect(throws: ReceiptBatch.Malformed(message: "clock: more than 100")) { try parse(batch(101)) }
  }

  @Test func takesOneHundredAndNoMore() throws {
    func batch(_ count: Int) -> String {
      "{\"receipts\":[\(Array(repeating: Self.good, count: count).joined(separator: ","))]}"
    }
    #expect(try parse(batch(100)).count == 100)
    #expect(throws: ReceiptBatch.Malformed(message: "receipts: more than 100")) { try parse(batch(101)) }
  }

  @Test func survivesHostileJSON() {
    let deep = String(repeating: "[", count: 60_000)
    let hostile = [
      deep, "{\"receipts\":\(deep)", String(repeating: "{\"receipts\":", count: 5000),
      "{\"receipts\":[{\"device\":\"\\ud800\",\"id\":\"i\",\"mac\":\"m\",\"received_at_ms\":1}]}",
      "{\"receipts\":[\(String(repeating: "0,", count: 30_000))0]}", "\u{FEFF}{}",
    ]
    for text in hostile { #expect(throws: ReceiptBatch.Malformed.self) { try parse(text) } }
    #expect(throws: ReceiptBatch.Malformed.self) {
      try ReceiptBatch(json: Data([0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x3A, 0x31, 0x7D]))
    }
  }

  /// Whatever is broken in a good body, the answer is a value or an error, and the error is our own words.
  @Test func survivesNoise() {
    let exchange = #"{"t1":1,"t2":2,"t3":3,"t4":4,"device":"d"}"#
    let body = Array("{\"receipts\":[\(Self.good),\(Self.good)],\"clock\":[\(exchange)]}".utf8)
    var state: UInt64 = 1
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for _ in 0..<5000 {
      var bytes = body
      for _ in 0...random(4) {
        let place = random(bytes.count)
        switch random(3) {
        case 0: bytes[place] = UInt8(random(256))
        case 1: bytes.remove(at: place)
        default: bytes.insert(UInt8(random(256)), at: place)
        }
      }
      do throws(ReceiptBatch.Malformed) {
        let entries = try ReceiptBatch(json: Data(bytes)).entries
        #expect((1...100).contains(entries.count))
      } catch {
        #expect(error.message.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
      }
    }
  }
}
