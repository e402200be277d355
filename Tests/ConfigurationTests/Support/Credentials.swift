/// Files with credentials beside those of ``populatedDirectory()``; their content is looked at by the collector, not by
/// the configuration.
func credentialsDirectory() throws -> TemporaryDirectory {
  let directory = try populatedDirectory()
  try directory.write("key.p8", "-----BEGIN PRIVATE KEY-----\n")
  try directory.write("push.pem", "-----BEGIN CERTIFICATE-----\n", mode: 0o644)
  try directory.write("push.key", "-----BEGIN PRIVATE KEY-----\n")
  try directory.write("device.token", String(repeating: "0a", count: 32) + "\n")
  try directory.write("account.json", "{}\n")
  try directory.write(
    "subscription.json",
    #"{"endpoint":"https://push.example.net/wpush/s3cret","keys":{"p256dh":"","auth":""}}"#)
  try directory.write("vapid.pem", "-----BEGIN PRIVATE KEY-----\n")
  try directory.write("ntfy.token", "tk_s3cret\n")
  try directory.write("template.json", #"{"p":{pushscope},"x":"{padding}"}"#, mode: 0o644)
  return directory
}
