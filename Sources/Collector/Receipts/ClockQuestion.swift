import FoundationEssentials

/// The body of `POST /v1/clock`.
struct ClockQuestion: Decodable {
  /// The device's clock when it asked, nanoseconds since 1970; only echoed.
  var t1: Int64

  /// - Throws: what is wrong, in our own words.
  static func parse(json: Data) throws(ReceiptBatch.Malformed) -> ClockQuestion {
    do {
      let question = try JSONDecoder().decode(ClockQuestion.self, from: json)
      guard question.t1 >= 0 else { throw ReceiptBatch.Malformed(message: "t1: negative") }
      return question
    } catch let error as DecodingError {
      throw ReceiptBatch.Malformed(message: ReceiptBatch.explain(error))
    } catch let error as ReceiptBatch.Malformed {
      throw error
    } catch {
      throw ReceiptBatch.Malformed(message: "not JSON")
    }
  }
}
