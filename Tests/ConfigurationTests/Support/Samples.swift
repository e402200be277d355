import TestKit

@testable import Configuration

/// A directory with all the files that a configuration of the tests may name.
func populatedDirectory() throws -> TemporaryDirectory {
  let directory = try TemporaryDirectory()
  try directory.write("loopback/ca.pem", "-----BEGIN CERTIFICATE-----\n", mode: 0o644)
  try directory.write("loopback/server.pem", "-----BEGIN CERTIFICATE-----\n", mode: 0o644)
  try directory.write("loopback/server.key", "-----BEGIN PRIVATE KEY-----\n")
  try directory.write("loopback/receipts.secret", "0123456789abcdef0123456789abcdef\n")
  try directory.write("open.secret", "0123456789abcdef0123456789abcdef\n", mode: 0o644)
  try directory.write("short.secret", "abc\n")
  try directory.write("empty.secret", "\n")
  try directory.write("body.json", "{}\n", mode: 0o644)
  return directory
}

/// Loads a configuration of these lines from a populated directory.
func load(
  _ text: String, environment: [String: String] = [:]
) throws -> PushscopeConfiguration {
  let directory = try populatedDirectory()
  let file = try directory.write("pushscope.yaml", text)
  return try PushscopeConfiguration.load(path: file, environment: environment)
}

/// The mistakes found in these lines, with the directory cut off the file's name.
func problems(in text: String, environment: [String: String] = [:]) throws -> [ConfigurationProblem] {
  let directory = try populatedDirectory()
  let file = try directory.write("c.yaml", text)
  do throws(ConfigurationError) {
    _ = try PushscopeConfiguration.load(path: file, environment: environment)
    return []
  } catch {
    return error.problems.map { problem in
      var problem = problem
      problem.place.file = String(problem.place.file.dropFirst(directory.path.count + 1))
      problem.message = problem.message.replacing(directory.path + "/", with: "")
      problem.remedy = problem.remedy.replacing(directory.path + "/", with: "")
      return problem
    }
  }
}

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
