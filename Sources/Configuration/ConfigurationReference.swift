/// Tables of all keys of the configuration: docs/configuration.md, from which pushscope.yaml(5) is made.
enum ConfigurationReference {
  /// The sections in the order of the page.
  static var sections: [any SectionKeys.Type] {
    [
      PushscopeConfiguration.Keys.self, CollectorConfiguration.Keys.self, ReceiptsConfiguration.Keys.self,
      RetentionConfiguration.Keys.self, RetentionConfiguration.Rollups.Keys.self,
      ServiceConfiguration.Keys.self, ObjectiveConfiguration.Keys.self, AlertConfiguration.Keys.self,
      AlertConfiguration.Webhook.Keys.self, FleetConfiguration.Keys.self, FleetConfiguration.User.Keys.self,
      DevicesConfiguration.Keys.self, DashboardConfiguration.Keys.self, TargetConfiguration.Keys.self,
      ScheduleConfiguration.Keys.self,
      BackoffConfiguration.Keys.self, APNsSettings.Keys.self, APNsSettings.Credentials.Keys.self,
      FCMSettings.Keys.self, FCMSettings.CredentialKeys.self, WebPushSettings.Keys.self,
      WebPushSettings.Credentials.Keys.self, NtfySettings.Keys.self, NtfySettings.Credentials.Keys.self,
      HTTPSettings.Keys.self, LoopbackSettings.Keys.self,
    ]
  }

  /// The tables as Markdown, each under a heading.
  static var markdown: String { sections.map { table(of: $0) }.joined(separator: "\n") }

  private static func table(of section: any SectionKeys.Type) -> String {
    var lines = ["## \(section.title)", ""]
    if !section.introduction.isEmpty { lines += [section.introduction, ""] }
    lines += ["| key | default | values | meaning |", "|---|---|---|---|"]
    for row in section.rows {
      let cells = ["`\(row.name)`", row.standard, row.values, row.meaning]
      lines.append("|" + cells.map { $0.isEmpty ? " |" : " \($0) |" }.joined())
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
