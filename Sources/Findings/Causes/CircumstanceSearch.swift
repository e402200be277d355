import Glibc
import Measurement

/// Looks for a circumstance on the device that sets the affected notifications of a target apart from all others.
///
/// Circumstances last, and so do disturbances: one of each at the same time says little, however many notifications there were.
/// The counts are therefore reduced to what independent ones would say, by how often the circumstance came and went.
public struct CircumstanceSearch {
  /// The shares differ by so much at least.
  private static let smallestDifference = 0.2
  /// The largest probability of such a difference by chance, over all words that were tried.
  private static let largestProbability = 0.001
  /// The fewest affected notifications.
  private static let fewest = 5
  /// What a device may choose freely explains nothing.
  private static let keys: [DeviceContextKey] = [.idle, .saver, .network, .bucket, .app, .priority]

  /// The notifications of one word of a key.
  private struct Table {
    var affected = 0.0
    var affectedWith = 0.0
    var others = 0.0
    var othersWith = 0.0

    var shareAffected: Double { affected > 0 ? affectedWith / affected : 0 }
    var shareOthers: Double { others > 0 ? othersWith / others : 0 }
  }

  /// - Parameters:
  ///   - samples: of the episode and its baseline, ascending by planned time.
  ///   - isAffected: whether the change is of it.
  /// - Returns: the one that explains most; `nil` where none does.
  public static func best(
    of samples: [EpisodeSample], isAffected: (EpisodeSample) -> Bool
  ) -> Circumstance? {
    let known = samples.compactMap { sample in
      sample.context.map { (context: $0, isAffected: isAffected(sample)) }
    }
    guard known.count(where: \.isAffected) >= fewest else { return nil }
    var found: [(circumstance: Circumstance, probability: Double)] = []
    var tried = 0
    for key in keys {
      let values = known.compactMap { entry in
        entry.context[key].map { (word: $0, isAffected: entry.isAffected) }
      }
      for word in Set(values.map(\.word)).sorted() {
        let marks = values.map { (has: $0.word == word, isAffected: $0.isAffected) }
        guard marks.contains(where: { !$0.has }) else { continue }
        tried += 1
        let table = table(of: marks)
        guard table.shareAffected - table.shareOthers >= smallestDifference else { continue }
        found.append(
          (
            Circumstance(key: key, word: word, affected: table.shareAffected, others: table.shareOthers),
            probability(of: table, weight: weight(of: marks.map(\.has)))
          ))
      }
    }
    let best = found.min { a, b in
      (a.probability, b.circumstance.affected) < (b.probability, a.circumstance.affected)
    }
    return best.flatMap { $0.probability * Double(tried) < largestProbability ? $0.circumstance : nil }
  }

  private static func table(of marks: [(has: Bool, isAffected: Bool)]) -> Table {
    var table = Table()
    for mark in marks {
      if mark.isAffected {
        table.affected += 1
        if mark.has { table.affectedWith += 1 }
      } else {
        table.others += 1
        if mark.has { table.othersWith += 1 }
      }
    }
    return table
  }

  /// How much a notification counts: the number of runs of equal values, of that which independent values of the same share would
  /// have (Wald and Wolfowitz).
  private static func weight(of values: [Bool]) -> Double {
    let count = Double(values.count)
    let share = Double(values.count(where: \.self)) / count
    let runs = Double(1 + zip(values, values.dropFirst()).count { $0 != $1 })
    return min(1, runs / max(1, 1 + 2 * count * share * (1 - share)))
  }

  /// Fisher's exact test, one-sided: the probability that at least so many of the affected have it by chance.
  private static func probability(of table: Table, weight: Double) -> Double {
    // Down to whole ones: what is less than one says nothing.
    let affected = (table.affected * weight).rounded(.down)
    let affectedWith = min(affected, (table.affectedWith * weight).rounded(.down))
    let others = (table.others * weight).rounded(.down)
    let othersWith = min(others, (table.othersWith * weight).rounded(.up))
    let (all, with) = (affected + others, affectedWith + othersWith)
    guard affected >= 1, others >= 1 else { return 1 }
    func choose(_ n: Double, _ k: Double) -> Double {
      SpecialFunctions.logGamma(n + 1) - SpecialFunctions.logGamma(k + 1)
        - SpecialFunctions.logGamma(n - k + 1)
    }
    let whole = choose(all, affected)
    var sum = 0.0
    var count = affectedWith
    while count <= min(affected, with) {
      if affected - count <= all - with {
        sum += exp(choose(with, count) + choose(all - with, affected - count) - whole)
      }
      count += 1
    }
    return min(1, sum)
  }
}
