import Foundation
import Testing

@testable import Configuration

@Suite struct InsecureSettingsTests {
    /// Other secrets in the sample would be missed.
    @Test("the known secrets are those of the sample configuration")
    func sample() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let texts = try ["gateway", "backends", "users", "serviceDomains", "clients"].map {
            try String(contentsOf: root.appending(path: "config/\($0).json"), encoding: .utf8)
        }
        for secret in InsecureSettings.sampleSecrets { #expect(texts.contains { $0.contains("\"\(secret)\"") }) }
        for salt in InsecureSettings.sampleSalts { #expect(texts[2].contains("$\(salt)$")) }
        #expect(InsecureSettings.sampleSalts.count == texts[2].components(separatedBy: "\"password\"").count - 1)
    }

    @Test("the sample configuration is refused where other machines reach it, secret by secret")
    func exposed() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let names = [
            "gateway", "routes", "webgates", "backends", "clients", "applications", "users", "roles", "policies",
            "issuers", "serviceDomains", "identityProviders",
        ]
        for address in ["127.0.0.1", "0.0.0.0"] {
            let files = try names.map { name in
                let text = try String(contentsOf: root.appending(path: "config/\(name).json"), encoding: .utf8)
                return (
                    "\(name).json",
                    text.replacing("\"127.0.0.1\", \"port\": 8080", with: "\"\(address)\", \"port\": 8080")
                )
            }
            let sample = try ConfigurationDirectory(Dictionary(uniqueKeysWithValues: files), on: [:])
            try sample.makeCertificate()
            let found = InsecureSettings(try #require(sample.load().configuration)).findings.map(\.pointer)
            if address == "127.0.0.1" {
                #expect(found.isEmpty)
            } else {
                let expected = [
                    "/backends/0/clientSecret", "/backends/0/anonymousKey", "/backends/1/anonymousKey",
                    "/backends/1/facebook/appSecret", "/clients/0/clientSecret",
                    "/serviceDomains/Default/applications/inventory/sharedSecret",
                ]
                #expect(found.filter { !$0.hasPrefix("/users/") } == expected, "\(found)")
                #expect(found.contains("/users/0/password"))
            }
        }
    }
}
