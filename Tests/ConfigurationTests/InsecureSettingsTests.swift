import Foundation
import Testing

@testable import Configuration

@Suite struct InsecureSettingsTests {
    /// Other secrets in the sample would be missed.
    @Test("the known secrets are those of the sample configuration")
    func sample() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let texts = try ["gateway", "backends", "users"].map {
            try String(contentsOf: root.appending(path: "config/\($0).json"), encoding: .utf8)
        }
        for secret in InsecureSettings.sampleSecrets { #expect(texts.contains { $0.contains("\"\(secret)\"") }) }
        for salt in InsecureSettings.sampleSalts { #expect(texts[2].contains("$\(salt)$")) }
        #expect(InsecureSettings.sampleSalts.count == texts[2].components(separatedBy: "\"password\"").count - 1)
    }
}
