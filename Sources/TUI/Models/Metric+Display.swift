import Measurement

extension Metric {
  /// What is timed, from where, in the words of the plot's title.
  var title: String {
    switch self {
    case .delivery: "delivery latency, from planned send"
    case .accept: "accept latency, from planned send"
    case .service: "service time, from the actual send"
    }
  }

  var shortTitle: String {
    switch self {
    case .delivery: "delivery latency"
    case .accept: "accept latency"
    case .service: "service time"
    }
  }

  /// The order in which a key goes through them.
  var next: Metric {
    switch self {
    case .delivery: .accept
    case .accept: .service
    case .service: .delivery
    }
  }
}
