import Configuration
import Testing

@Suite struct AddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("::", "::"),
        ("::1", "::1"), ("2001:DB8:0:0:8:800:200C:417A", "2001:db8::8:800:200c:417a"), ("1::", "1::"),
        ("::ffff:192.0.2.1", "::ffff:c000:201"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
        ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
        ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
    ])
    func literals(text: String, canonical: String) {
        #expect(IPLiteral(text)?.description == canonical)
    }

    @Test(arguments: [
        "", "127.0.0", "127.0.0.1.1", "127.0.0.256", "127.0.0.01", "127.0.0.+1", "127.0.0.1 ", "0x7f.0.0.1", "1::2::3",
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", ":1:2:3:4:5:6:7", "12345::", "::g", "fe80::1%eth0",
        "[::1]", ":::", "::1.2.3", "1.2.3.4::", "localhost",
    ])
    func refused(text: String) {
        #expect(IPLiteral(text) == nil)
    }

    @Test func loopback() {
        #expect(["127.0.0.1", "127.8.9.1", "::1"].allSatisfy { IPLiteral($0)?.isLoopback == true })
        #expect(["128.0.0.1", "0.0.0.0", "::", "::2"].allSatisfy { IPLiteral($0)?.isLoopback == false })
    }

    @Test func blocks() throws {
        let directory = try ConfigurationDirectory([
            "gateway.json": ConfigurationDirectory.gateway(
                #""trustedProxies": ["192.0.2.128/25", "2001:db8::/33", "198.51.100.7"]"#)
        ])
        let blocks = try #require(directory.load().configuration?.trustedProxies)
        func contains(_ index: Int, _ text: String) -> Bool {
            IPLiteral(text).map { blocks[index].contains($0.bytes) } == true
        }
        #expect(contains(0, "192.0.2.128") && contains(0, "192.0.2.255"))
        #expect(!contains(0, "192.0.2.127") && !contains(0, "192.0.3.128") && !contains(0, "::c000:280"))
        #expect(contains(1, "2001:db8:7fff::1") && !contains(1, "2001:db8:8000::"))
        #expect(contains(2, "198.51.100.7") && !contains(2, "198.51.100.6"))
    }
}
