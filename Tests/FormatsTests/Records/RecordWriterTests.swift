import Formats
import Measurement
import Testing

@Suite struct RecordWriterTests {
  private struct Row {
    var name: String?
    var count: Int64?
    var share: Double?
    var isGood: Bool?
    var at: WallTime?
    var id: (high: UInt64, low: UInt64) = (0x0123_4567_89AB_CDEF, 0x8000_0000_0000_000A)
  }

  private static let columns: [Column<Row, PreparedText>] = [
    Column("name") { $2.text($0.name) },
    Column("count") { $2.integer($0.count) },
    Column("share") { $2.number($0.share) },
    Column("good") { $2.boolean($0.isGood) },
    Column("at") { $2.time($0.at) },
    Column("kind") { $2.text("x") },
    Column("id") { $2.uuid($0.id) },
    Column("shared") { $2.prepared($1) },
  ]

  private static let rows = [
    Row(name: "a", count: 1, share: 0.25, isGood: true, at: WallTime(microseconds: 1_700_000_000_000_001)),
    Row(name: "b,\"c\"", count: -12, share: 3, isGood: false, at: WallTime(microseconds: -1)),
    Row(),
    Row(name: "", count: .min, share: .infinity, isGood: nil, at: WallTime(microseconds: 0)),
  ]

  private func text(_ format: RecordFormat) throws -> String {
    try written(format, Self.columns.map(\.name)) { writer in
      let shared = PreparedText("=s,", for: format)
      for row in Self.rows { try writer.row(row, in: shared, Self.columns) }
    }
  }

  @Test func writesCSV() throws {
    #expect(
      try text(.csv) == """
        name,count,share,good,at,kind,id,shared\r
        a,1,0.25,true,2023-11-14T22:13:20.000001Z,x,01234567-89ab-cdef-8000-00000000000a,"'=s,"\r
        "b,""c""\",-12,3,false,1969-12-31T23:59:59.999999Z,x,01234567-89ab-cdef-8000-00000000000a,"'=s,"\r
        ,,,,,x,01234567-89ab-cdef-8000-00000000000a,"'=s,"\r
        ,-9223372036854775808,,,1970-01-01T00:00:00.000000Z,x,01234567-89ab-cdef-8000-00000000000a,"'=s,\"\r\n
        """)
  }

  @Test func writesJSONLinesWithTheSameNames() throws {
    #expect(
      try text(.jsonl) == """
        {"name":"a","count":1,"share":0.25,"good":true,"at":"2023-11-14T22:13:20.000001Z","kind":"x","id":"01234567-89ab-cdef-8000-00000000000a","shared":"=s,"}
        {"name":"b,\\"c\\"","count":-12,"share":3,"good":false,"at":"1969-12-31T23:59:59.999999Z","kind":"x","id":"01234567-89ab-cdef-8000-00000000000a","shared":"=s,"}
        {"name":null,"count":null,"share":null,"good":null,"at":null,"kind":"x","id":"01234567-89ab-cdef-8000-00000000000a","shared":"=s,"}
        {"name":"","count":-9223372036854775808,"share":null,"good":null,"at":"1970-01-01T00:00:00.000000Z","kind":"x","id":"01234567-89ab-cdef-8000-00000000000a","shared":"=s,"}\n
        """)
  }

  @Test func numbersAreNeverGuarded() throws {
    let text = try written(.csv, ["a", "b"]) { writer in
      writer.beginRow()
      writer.integer(-5)
      writer.number(-0.5)
      try writer.endRow()
    }
    #expect(text == "a,b\r\n-5,-0.5\r\n")
  }

  @Test func everyIntegerLengthIsWrittenWhole() throws {
    var values: [Int64] = [0, .max, .min]
    var power: Int64 = 1
    for _ in 0..<18 {
      power *= 10
      values += [power - 1, power, power + 1, -power, 1 - power]
    }
    let text = try written(.csv, ["a"]) { writer in
      for value in values {
        writer.beginRow()
        writer.integer(value)
        try writer.endRow()
      }
    }
    #expect(text.split(whereSeparator: \.isNewline).dropFirst().map { Int64($0) } == values)
  }

  /// The remembered date must not be used for another day, in either direction.
  @Test func everyTimeIsWrittenAsTheCalendarHasIt() throws {
    let day: Int64 = 86_400_000_000
    var times: [Int64] = [0, day - 1, day, day - 1, -1, -day, -day - 1, 253_402_300_799_999_999, 0]
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<1000 { times.append(.random(in: -day * 100...day * 20_000, using: &generator)) }
    for offset in 0..<1000 { times.append(1_700_000_000_000_000 + Int64(offset) * 777_777_777) }
    let text = try written(.csv, ["a"]) { writer in
      for time in times {
        writer.beginRow()
        writer.time(WallTime(microseconds: time))
        try writer.endRow()
      }
    }
    let expected = times.map { WallTime(microseconds: $0).rfc3339 }
    #expect(text.split(whereSeparator: \.isNewline).dropFirst().map(String.init) == expected)
  }

  @Test func handsOnInLargePiecesAndKeepsNothing() throws {
    final class Pieces: ByteSink {
      var sizes: [Int] = []
      func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) { sizes.append(bytes.count) }
    }
    let sink = Pieces()
    var writer = RecordWriter(format: .csv, columns: ["a"], sink: sink)
    let row = String(repeating: "x", count: 98)
    for _ in 0..<100_000 {
      writer.beginRow()
      writer.text(row)
      try writer.endRow()
    }
    try writer.finish()
    #expect(sink.sizes.reduce(0, +) == 10_000_000)
    #expect(sink.sizes.dropLast().allSatisfy { (262_144..<262_244).contains($0) })
    #expect(writer.rowCount == 100_000)
  }

  @Test func aRowLargerThanTheBufferIsWrittenWhole() throws {
    let large = String(repeating: "é,", count: 400_000)
    let text = try written(.csv, ["a"]) { writer in
      writer.beginRow()
      writer.text(large)
      try writer.endRow()
    }
    #expect(text == "a\r\n\"\(large)\"\r\n")
  }

  @Test func theSinksErrorEndsIt() {
    final class Full: ByteSink {
      func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
        throw OutputError(code: .noSpace, name: "x")
      }
    }
    #expect(throws: OutputError(code: .noSpace, name: "x")) {
      var writer = RecordWriter(format: .csv, columns: ["a"], sink: Full())
      try writer.finish()
    }
  }
}
