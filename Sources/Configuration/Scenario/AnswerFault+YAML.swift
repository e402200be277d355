extension AnswerFault {
  init?(_ value: YAMLValue) {
    guard let map = value.mapping(keys: ["kind", "probability", "delivered"]),
      let word = map.required("kind", example: "kind: reset"),
      let share = map.required("probability", example: "probability: 1%")
    else { return nil }
    guard let kind = word.choice(of: Kind.self), let probability = share.fraction() else { return nil }
    let delivered = map["delivered"]?.boolean()
    if kind == .refuse || kind == .goawayUnprocessed, delivered == true {
      map["delivered"]?.report(
        "cannot be: such a request was not processed", remedy: "delete the key, or use kind: reset")
    }
    if kind == .goaway, delivered == false {
      map["delivered"]?.report(
        "cannot be: the request is accepted", remedy: "delete the key; deliveries.lost says what is lost")
    }
    self.init(kind: kind, probability: probability, isDelivered: delivered ?? (kind == .goaway))
  }
}
