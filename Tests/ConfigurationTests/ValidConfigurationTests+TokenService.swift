import Model
import Testing

@testable import Configuration

extension ValidConfigurationTests {
    /// A secret key excludes the rotation of the complete configuration.
    @Test func tokenServiceWithSecretKey() throws {
        let key = #""algorithm": "HS256", "key": "0123456789abcdef0123456789abcdef""#
        let gateway = ConfigurationDirectory.gateway(#""tokenService": { "enabled": true, \#(key) }"#)
        let loaded = try ConfigurationDirectory(["gateway.json": gateway]).load()
        #expect(loaded.lines(.error) == [])
        let service = try #require(loaded.configuration).tokenService
        #expect(service.algorithm == .hs256 && service.key?.value.utf8.count == 32)
    }
}
