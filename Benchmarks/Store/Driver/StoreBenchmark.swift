import Foundation
import Measurement
import Store

/// `StoreBenchmark [ROWS] [ROUNDS]`: what the store costs, beside bare SQLite on the same tables in the same run.
/// `StoreBenchmark large [ROWS] [FILE]`: how soon a screen has something to show of a store of ten million rows. With FILE
/// the store is made there and kept, for the dashboard to be tried on.
@main
enum StoreBenchmark {
  static func main() throws {
    if CommandLine.arguments.dropFirst().first == "large" {
      let arguments = Array(CommandLine.arguments.dropFirst(2))
      return try LargeStoreFigures(
        rows: arguments.first.flatMap { Int($0) } ?? 10_000_000, file: arguments.dropFirst().first
      ).run()
    }
    let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    let rows = arguments.first ?? 200_000
    let rounds = arguments.dropFirst().first ?? 3
    print(
      "Writing: each row inserted as a plan, then updated once; \(rows) rows, median of \(rounds) rounds.")
    print("Rows are inserts and updates together; CPU is what counts while other programs run.\n")
    for durability in Durability.allCases {
      for batch in [1, 10, 100, 1_000] {
        let count = min(rows, durability == .full ? batch * 400 : batch * 4_000)
        try WritingContest(count: count, batch: batch, durability: durability).run(rounds: rounds)
      }
    }
    print("\nRolling up as it goes, against the same without, in turns:")
    try RollupContest(count: max(rows, 100_000)).run(rounds: rounds)
    print("\nReading a store of a million rows in two targets:")
    try ReadingFigures.run()
  }
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func padded(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}
