import Bytes
import Testing

@testable import Model

@Suite struct IPAddressTests {
    @Test(
        "RFC 5952: what is read is written in one form",
        arguments: [
            ("0.0.0.0", "0.0.0.0"), ("192.0.2.1", "192.0.2.1"), ("255.255.255.255", "255.255.255.255"),
            ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:DB8::1", "2001:db8::1"),
            ("2001:DB8:0:0:8:800:200C:417A", "2001:db8::8:800:200c:417a"), ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"),
            ("2001:0db8:0000:0000:0001:0000:0000:0001", "2001:db8::1:0:0:1"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
            ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
            ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("1:2::4:5:6:7:8", "1:2:0:4:5:6:7:8"),
            ("0:0:0:1::", "0:0:0:1::"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::FFFF:c000:201", "192.0.2.1"),
            ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"), ("::192.0.2.1", "::c000:201"),
            ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
        ])
    func text(_ text: String, _ expected: String) throws {
        let literal = try #require(IPAddress(text))
        #expect(literal.description == expected)
        #expect(IPAddress(literal.description) == literal)
        #expect(IPAddress(octets: literal.octets, isIPv6: literal.isIPv6) == literal)
    }

    @Test(
        "RFC 4291: what is no literal",
        arguments: [
            "", "1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "256.1.1.1", "1.2.3.4 ", "1.2.3.", ".1.2.3", "1..2.3", ":",
            ":::", "1:2", "1::2::3", "12345::", "::g", "fe80::1%eth0", "1:2:3:4:5:6:7:8:9", "::1.2.3", "[::1]",
            "+1.2.3.4", "127.0.0.+1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8::", ":1:2:3:4:5:6:7", "1.2.3.4::", "localhost",
            "1:2:3:4:5:6:7:1.2.3.4", "0x7f.0.0.1", "2130706433", "::1:", "::ffff:1.2.3.400",
        ])
    func malformed(_ text: String) { #expect(IPAddress(text) == nil) }

    @Test("a party is an IPv4 address or a /64")
    func subscriber() throws {
        #expect(IPAddress("2001:db8:1:2:3:4:5:6")?.subscriber == IPAddress("2001:db8:1:2::"))
        #expect(IPAddress("2001:db8:1:2::")?.subscriber == IPAddress("2001:db8:1:2:ffff::1")?.subscriber)
        #expect(IPAddress("2001:db8:1:3::1")?.subscriber != IPAddress("2001:db8:1:2::1")?.subscriber)
        #expect(IPAddress("192.0.2.1")?.subscriber == IPAddress("192.0.2.1"))
        #expect(IPAddress("::ffff:192.0.2.1")?.subscriber == IPAddress("192.0.2.1"))
    }

    @Test("loopback: 127.0.0.0/8 and ::1")
    func loopback() {
        #expect(["127.0.0.1", "127.8.9.1", "::1"].allSatisfy { IPAddress($0)?.isLoopback == true })
        #expect(["128.0.0.1", "0.0.0.0", "::", "::2", "1::1"].allSatisfy { IPAddress($0)?.isLoopback == false })
        #expect(["0.0.0.0", "::"].allSatisfy { IPAddress($0)?.isUnspecified == true })
        #expect(["0.0.0.1", "::1", "1::"].allSatisfy { IPAddress($0)?.isUnspecified == false })
    }

    @Test("in URLs and in IPv6 notation")
    func notations() {
        #expect(IPAddress("192.0.2.1")?.urlHost == "192.0.2.1")
        #expect(IPAddress("2001:DB8::1")?.urlHost == "[2001:db8::1]")
        #expect(IPAddress("::ffff:192.0.2.1")?.textAsIPv6 == "::ffff:c000:201")
        #expect(IPAddress("0.0.0.0")?.textAsIPv6 == "::ffff:0:0")
        #expect(IPAddress("::1")?.textAsIPv6 == "::1")
    }

    @Test("addresses in network order")
    func octets() throws {
        let v4 = try #require(IPAddress("1.2.3.4"))
        #expect(!v4.isIPv6)
        #expect(Array((0..<4).map { v4.octets[$0] }) == [1, 2, 3, 4])
        #expect(IPAddress(v4: 0x0102_0304) == v4)
        let v6 = try #require(IPAddress("102:304:506:708:90a:b0c:d0e:f10"))
        #expect(v6.isIPv6)
        #expect(Array((0..<16).map { v6.octets[$0] }) == Array(1...16))
    }
}

@Suite struct IPAddressRangeTests {
    @Test(
        "networks have their addresses and no others",
        arguments: [
            (
                "10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"],
                ["9.255.255.255", "11.0.0.0", "::a00:0"]
            ),
            ("192.0.2.1", ["192.0.2.1"], ["192.0.2.0", "192.0.2.2"]),
            ("192.0.2.0/31", ["192.0.2.0", "192.0.2.1"], ["192.0.2.2"]),
            ("0.0.0.0/0", ["1.2.3.4", "255.255.255.255"], ["::1", "2001:db8::1"]),
            ("2001:db8::/32", ["2001:db8::", "2001:db8:ffff::1"], ["2001:db9::", "1.2.3.4"]),
            ("::1", ["::1"], ["::2", "::"]), ("::1/128", ["::1"], ["0.0.0.1"]),
            ("::/0", ["::1", "1.2.3.4"], []), ("::ffff:10.0.0.0/104", ["10.1.1.1"], ["11.0.0.0"]),
        ] as [(String, [String], [String])])
    func contains(_ text: String, _ inside: [String], _ outside: [String]) throws {
        let network = try #require(IPAddressRange(text))
        for literal in inside { #expect(network.contains(try #require(IPAddress(literal))), "\(literal)") }
        for literal in outside { #expect(!network.contains(try #require(IPAddress(literal))), "\(literal)") }
        #expect([network].contains(try #require(IPAddress(inside[0]))))
    }

    @Test(
        "what is no network",
        arguments: [
            "", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.1/8", "10.0.0.0/08", "10.0.0.0/+8", "10.0.0.0/8/8",
            "10/8", "2001:db8::1/32", "10.0.0.0/ 8",
        ])
    func malformed(_ text: String) { #expect(IPAddressRange(text) == nil) }

    @Test(
        "an address of the own machine, of a private network, link or group, or one that stands for it, is not public",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
            "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
            "239.255.255.250",
            "240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
            "::ffff:169.254.169.254", "::ffff:0:127.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::10.0.0.1",
            "64:ff9b::169.254.169.254", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:7f00:1::", "2001:10::1",
            "2001:db8::1", "2002:7f00:1::1", "2002:a00:1::", "2002:5db8:d822::1", "3fff::1", "4000::1", "5f00::1",
            "fc00::1", "fd00:ec2::254", "fe80::1", "febf::1", "fec0::1", "ff02::1", "ff0e::1",
        ])
    func notPublic(_ text: String) throws {
        #expect(try !#require(IPAddress(text)).isPublic)
    }

    @Test(
        "all others are public",
        arguments: [
            "1.1.1.1", "9.255.255.255", "11.0.0.0", "93.184.216.34", "100.63.255.255", "100.128.0.0", "126.255.255.255",
            "128.0.0.1", "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.1", "192.167.255.255",
            "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "::ffff:1.1.1.1", "64:ff9b::1.1.1.1",
            "2001:200::1", "2001:4860:4860::8888", "2003::1", "2606:4700::1111", "2a00::1", "3ffe::1",
        ])
    func isPublic(_ text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic)
    }
}
