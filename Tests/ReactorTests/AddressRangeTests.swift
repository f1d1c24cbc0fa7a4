import Testing

@testable import Reactor

@Suite struct AddressRangeTests {
    @Test(arguments: [
        (
            "10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"],
            ["9.255.255.255", "11.0.0.0", "::ffff:11.0.0.0"]
        ),
        ("10.1.2.3/8", ["10.200.0.0"], ["11.1.2.3"]),
        ("192.168.1.4", ["192.168.1.4"], ["192.168.1.5", "::192.168.1.4"]),
        ("192.168.1.4/31", ["192.168.1.4", "192.168.1.5"], ["192.168.1.3", "192.168.1.6"]),
        ("0.0.0.0/0", ["0.0.0.0", "255.255.255.255", "::ffff:1.2.3.4"], ["::1", "::"]),
        ("::/0", ["::1", "ffff::"], ["127.0.0.1", "::ffff:127.0.0.1"]),
        ("::1", ["::1"], ["::2", "0.0.0.1", "127.0.0.1"]),
        ("2001:db8::/33", ["2001:db8:7fff::1"], ["2001:db8:8000::", "2001:db9::"]),
        ("::ffff:10.0.0.0/104", ["10.9.9.9", "::ffff:10.9.9.9"], ["11.0.0.0"]),
        ("a00::/8", ["aff::"], ["10.0.0.0", "b00::"]),
    ])
    func rangesHoldTheirAddresses(_ literal: String, _ inside: [String], _ outside: [String]) throws {
        let range = try #require(AddressRange(literal: literal))
        for text in inside {
            let address = try #require(SocketAddress(literal: text, port: 9))
            #expect(range.contains(address), "\(text)")
        }
        for text in outside {
            let address = try #require(SocketAddress(literal: text, port: 9))
            #expect(!range.contains(address), "\(text)")
        }
        let socket = try #require(SocketAddress(unixPath: "/run/x"))
        #expect(!range.contains(socket))
    }

    @Test(arguments: [
        "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/+8", "10.0.0.0/08", "10.0.0.0/-1", "10.0.0/8",
        "10.0.0.0/8/8", "10.0.0.0/8 ", "10.0.0.0/0x8", "10.0.0.0/255.0.0.0", "localhost", "10.0.0.0/1000", "10.0.0.0/٣",
    ])
    func whatIsNoRangeIsRefused(_ literal: String) { #expect(AddressRange(literal: literal) == nil) }

    @Test func equalRangesAreEqual() {
        #expect(AddressRange(literal: "10.1.2.3/8") == AddressRange(literal: "10.0.0.0/8"))
        #expect(AddressRange(literal: "10.0.0.0/8") == AddressRange(literal: "::ffff:10.0.0.0/104"))
        #expect(AddressRange(literal: "10.0.0.0/8") != AddressRange(literal: "10.0.0.0/9"))
        #expect(AddressRange(literal: "0.0.0.0/0") != AddressRange(literal: "::/0"))
        #expect(AddressRange(literal: "::/0")?.isEverything == true)
        #expect(AddressRange(literal: "::/1")?.isEverything == false)
    }
}
