import Configuration
import Model
import Testing

@Suite struct AddressTests {
    @Test func blocks() throws {
        let directory = try ConfigurationDirectory([
            "gateway.json": ConfigurationDirectory.gateway(
                #""trustedProxies": ["192.0.2.128/25", "2001:db8::/33", "198.51.100.7"]"#)
        ])
        let blocks = try #require(directory.load().configuration?.trustedProxies)
        func contains(_ index: Int, _ text: String) -> Bool {
            IPAddress(text).map(blocks[index].contains) == true
        }
        #expect(contains(0, "192.0.2.128") && contains(0, "192.0.2.255"))
        #expect(!contains(0, "192.0.2.127") && !contains(0, "192.0.3.128") && !contains(0, "::c000:280"))
        #expect(contains(1, "2001:db8:7fff::1") && !contains(1, "2001:db8:8000::"))
        #expect(contains(2, "198.51.100.7") && !contains(2, "198.51.100.6"))
    }
}
