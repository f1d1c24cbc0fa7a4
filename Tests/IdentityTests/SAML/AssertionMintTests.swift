#if SAML
    import Crypto
    import Identity
    import Model
    import TestSupport
    import Testing

    /// Assertions that the gateway signs (RFC 7522 section 3).
    @Suite struct AssertionMintTests {
        private static let endpoint = "https://as.example/token?a=1&b=2"

        private func mint(_ key: SigningKey, _ attributes: [SAMLAssertion.Attribute] = []) throws -> AssertionMint {
            try #require(
                AssertionMint(key: key, issuer: "https://gw", lifetimeSeconds: 30, attributes: attributes))
        }

        private func assertion(_ mint: AssertionMint, _ subject: String = "joe") throws -> [UInt8] {
            try mint.assertion(
                about: subject, audience: "https://as", recipient: Self.endpoint, now: Assertion.now)
        }

        @Test("an assertion names issuer, subject, audience, recipient and times, and is signed")
        func content() throws {
            let attribute = SAMLAssertion.Attribute(name: "a&b", values: ["<t1>", "Zoë"])
            let xml = try assertion(mint(Assertion.key, [attribute]), "Zoë & <co>'s \"one\"")
            let read = try SAMLVerifier.assertion(
                in: xml, signedBy: [Assertion.certificate("idp")], allowsSHA1: false)
            #expect(read.issuer == "https://gw" && read.nameID?.value == "Zoë & <co>'s \"one\"")
            #expect(read.issueInstant == Assertion.now && read.authnInstant == Assertion.now)
            #expect(read.notBefore == Assertion.now && read.notOnOrAfter == Assertion.now + 30)
            #expect(read.audienceRestrictions == [["https://as"]] && read.attributes == [attribute])
            #expect(
                read.confirmations == [.init(recipient: Self.endpoint, notOnOrAfter: Assertion.now + 30)])
            let conditions = SAMLConditions(
                audiences: ["https://as"], recipients: [Self.endpoint], requiresRecipient: true)
            #expect(try conditions.check(read, now: Assertion.now) == Assertion.now + 30)
            let other = try SAMLVerifier.assertion(
                in: assertion(mint(Assertion.key)), signedBy: [Assertion.certificate("idp")], allowsSHA1: false)
            #expect(other.id != read.id && other.attributes.isEmpty)
            #expect(throws: SAMLRejection.badSignature) {
                try SAMLVerifier.assertion(in: xml, signedBy: [Assertion.certificate("other")], allowsSHA1: false)
            }
        }

        @Test("every algorithm of XML signatures is supported", arguments: [SignatureAlgorithm.rs256, .rs384, .rs512])
        func algorithms(_ algorithm: SignatureAlgorithm) throws {
            let key = try SigningKey(pem: Assertion.rsaKey.pem, algorithm: algorithm)
            let read = try SAMLVerifier.assertion(
                in: assertion(mint(key)), signedBy: [Assertion.certificate("rsa")], allowsSHA1: false)
            #expect(read.nameID?.value == "joe")
        }

        @Test("other elliptic curves sign, too", arguments: [SignatureAlgorithm.es384, .es512])
        func curves(_ algorithm: SignatureAlgorithm) throws {
            let xml = String(decoding: try assertion(mint(.generate(algorithm))), as: UTF8.self)
            #expect(
                xml.contains("ecdsa-sha\(algorithm == .es384 ? 384 : 512)") && !xml.contains("<ds:SignatureValue/>"))
        }

        @Test("other algorithms have no name in XML signatures", arguments: [SignatureAlgorithm.ps256, .edDSA])
        func unsupported(_ algorithm: SignatureAlgorithm) {
            let mint = AssertionMint(
                key: .generate(algorithm), issuer: "https://gw", lifetimeSeconds: 30, attributes: [])
            #expect(mint == nil)
        }

        @Test("a name that XML cannot carry is not signed")
        func control() throws {
            let mint = try mint(Assertion.key)
            #expect(throws: SAMLRejection.malformed) { try assertion(mint, "a\u{1}b") }
        }
    }
#endif
