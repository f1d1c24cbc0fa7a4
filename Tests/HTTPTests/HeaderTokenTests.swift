import Bytes
import Testing

@testable import HTTP

@Suite struct HeaderTokenTests {
    private static let named = HeaderToken.allCases.filter { $0 != .other }

    @Test("names are found in any case", arguments: named)
    func anyCase(_ token: HeaderToken) {
        let name = "\(token.name)"
        let mixed = name.utf8.enumerated().map { $0 % 2 == 0 && ASCII.isLetter($1) ? $1 ^ 32 : $1 }
        #expect(!name.isEmpty)
        #expect(lookup(name) == token)
        #expect(lookup(name.lowercased()) == token)
        #expect(lookup(name.uppercased()) == token)
        #expect(lookup(mixed) == token)
    }

    @Test("what differs in one byte or in length is another name", arguments: named)
    func nearMisses(_ token: HeaderToken) {
        let name = Array("\(token.name)".utf8)
        for i in name.indices {
            for change: UInt8 in [1, 2, 16, 64, 128] {
                var other = name
                other[i] ^= change
                #expect(lookup(other) != token)
            }
            // The case of a letter is this bit; a digit or a hyphen has none.
            if !ASCII.isLetter(name[i]) {
                var other = name
                other[i] ^= 32
                #expect(lookup(other) != token)
            }
        }
        #expect(lookup(Array(name.dropLast())) != token)
        #expect(lookup(name + [120]) != token)
    }

    @Test("any character in the place of the hyphen makes an alias (CVE-2025-64484, CVE-2026-88011)")
    func aliases() {
        for alias in ["X_Gateway_User", "x.gateway-user", "X-GATEWAY.USER", "x~gateway!user"] {
            #expect(lookup(alias) == .other)
            #expect(lookupAlias(alias) == .xGatewayUser)
        }
        for stranger in [
            "x--gateway-user", "xgatewayuser", "x_gateway_users", "", "x", String(repeating: "_", count: 80),
        ] {
            #expect(lookupAlias(stranger) == .other)
        }
    }
}
