extension Scenario {
  /// What a push service is like on an ordinary day; the same as `config/scenarios/lifelike.yaml`, so that the
  /// service needs no file.
  public static var lifelike: Scenario {
    let answers = AnswerBehavior(
      delay: DelayDistribution(.lognormal(median: .milliseconds(12), sigma: 0.45), maximum: .seconds(2)),
      errors: [
        ErrorAnswer(reason: "ServiceUnavailable", status: 503, probability: 0.002),
        ErrorAnswer(reason: "InternalServerError", status: 500, probability: 0.001),
      ])
    let deliveries = DeliveryBehavior(
      delay: DelayDistribution(
        .mixture([
          .init(weight: 0.97, delay: .init(.lognormal(median: .milliseconds(220), sigma: 0.35))),
          .init(weight: 0.03, delay: .init(.pareto(minimum: .milliseconds(600), shape: 1.8))),
        ]), maximum: .seconds(20)),
      lost: 0.01, duplicated: 0.003, reordered: .init(probability: 0.005, by: .milliseconds(900)))
    var slowAnswers = answers
    slowAnswers.delay = DelayDistribution(
      .lognormal(median: .milliseconds(45), sigma: 0.6), maximum: .seconds(4))
    slowAnswers.errors = [ErrorAnswer(reason: "ServiceUnavailable", status: 503, probability: 0.02)]
    var slowDeliveries = deliveries
    slowDeliveries.delay = DelayDistribution(
      .lognormal(median: .milliseconds(1100), sigma: 0.5), maximum: .seconds(20))
    slowDeliveries.lost = 0.03
    return Scenario(
      answers: answers, deliveries: deliveries,
      episodes: [
        ScenarioEpisode(
          name: "slow", window: ScenarioWindow(from: .seconds(20), length: .seconds(8), every: .seconds(75)),
          answers: slowAnswers, deliveries: slowDeliveries)
      ])
  }
}
