import Model

#if SAML
    import Crypto
    import Identity
    import JOSE
    import TestSupport
    import Testing

    /// Signatures of assertions and responses, and what is read from them (SAML-04).
    @Suite struct SAMLVerifierTests {
        static let elliptic = Result { try key("idp", .es256) }
        static let rsa = Result { try key("rsa", .rs256) }

        private static func key(_ name: String, _ algorithm: SignatureAlgorithm) throws -> SigningKey {
            try SigningKey(pem: String(decoding: fixture("\(name)-key.pem"), as: UTF8.self), algorithm: algorithm)
        }

        let forge: SAMLForge

        init() throws { forge = SAMLForge(key: try Self.elliptic.get(), now: Assertion.now) }

        static func assertion(_ document: String, _ names: String...) throws -> SAMLAssertion {
            let certificates = try (names.isEmpty ? ["idp"] : names).map { try Assertion.certificate($0) }
            return try SAMLVerifier.assertion(in: Array(document.utf8), signedBy: certificates, allowsSHA1: false)
        }

        static func response(_ document: String) throws -> SAMLResponse {
            try SAMLVerifier.response(
                in: Array(document.utf8), signedBy: [try Assertion.certificate("idp")], allowsSHA1: false)
        }

        @Test("subject, confirmation, attributes and conditions are read")
        func whatIsRead() throws {
            var forge = forge
            forge.subject = "Zoë & <co>"
            forge.confirmation = [
                ("InResponseTo", "_q"), ("NotOnOrAfter", SAMLForge.instant(forge.now + 60)), ("Recipient", "https://x"),
            ]
            forge.attributes = [("groups", ["a", "b"]), ("mail", ["zoe@example.com"])]
            forge.moreConditions = "<saml:OneTimeUse></saml:OneTimeUse>"
            let assertion = try Self.assertion(forge.assertion)
            #expect(assertion.id == "_a1" && assertion.issuer == forge.issuer && assertion.issueInstant == forge.now)
            #expect(assertion.nameID?.value == "Zoë & <co>")
            #expect(assertion.notBefore == forge.now - 30 && assertion.notOnOrAfter == forge.now + 600)
            #expect(assertion.audienceRestrictions == forge.restrictions)
            #expect(
                assertion.confirmations == [
                    .init(recipient: "https://x", notOnOrAfter: forge.now + 60, inResponseTo: "_q")
                ])
            #expect(assertion.attributes.map(\.name) == ["groups", "mail"])
            #expect(assertion.attributes[0].values == ["a", "b"])
            #expect(assertion.isOneTimeUse && !assertion.hasUnknownCondition)
        }

        @Test("names and values keep their white space, which makes other names of them", arguments: [" ", "\n", "\t"])
        func whiteSpace(_ blank: String) throws {
            var forge = forge
            for text in ["joe\(blank)", "\(blank)joe"] {
                forge.subject = text
                forge.attributes = [("groups", [text])]
                let assertion = try Self.assertion(forge.assertion)
                #expect(assertion.nameID?.value == text && assertion.attributes[0].values == [text])
            }
        }

        @Test("signatures of every supported algorithm are verified", arguments: SAMLForge.Algorithm.allCases)
        func algorithms(_ algorithm: SAMLForge.Algorithm) throws {
            let isRSA = algorithm != .elliptic256
            let name = isRSA ? "rsa" : "idp"
            var forge = forge
            forge.key = try Self.key(name, algorithm.signature)
            forge.algorithm = algorithm
            #expect(try Self.assertion(forge.assertion, name).nameID?.value == "joe")
            // Any one of several certificates may be the one, which lets keys be changed (SAML-08).
            #expect(try Self.assertion(forge.assertion, "idp", "rsa", "other").nameID?.value == "joe")
            let others = isRSA ? "idp" : "rsa"
            #expect(throws: SAMLRejection.unknownKey) { try Self.assertion(forge.assertion, others) }
        }

        @Test(
            "SAML-04: changing any signed byte invalidates the signature",
            arguments: [
                (">joe<", ">ann<", SAMLRejection.badSignature), ("NotOnOrAfter=\"", "NotOnOrAfter=\"2", .badSignature),
                ("ID=\"_a1\"", "ID=\"_a2\"", .wrongReference), ("#_a1", "", .wrongReference),
                ("#_a1", "#_a2", .wrongReference), ("URI=\"#_a1\"", "", .wrongReference),
                ("URI=\"#_a1\"", "URI=\"#xpointer(id('_a1'))\"", .wrongReference),
                ("ecdsa-sha256", "ecdsa-sha1", .unsupportedAlgorithm),
                ("ecdsa-sha256", "hmac-sha256", .unsupportedAlgorithm),
                ("2001/04/xmlenc#sha256", "2000/09/xmldsig#sha1", .unsupportedAlgorithm),
                ("ecdsa-sha256", "ecdsa-sha384", .badSignature),
                ("<ds:SignatureValue>", "<ds:SignatureValue>AAAA", .badSignature),
                ("<ds:DigestValue>", "<ds:DigestValue>AAAA", .badSignature),
                ("xmldsig#enveloped-signature", "xmldsig#base64", .malformedSignature),
                ("</ds:Signature>", "<ds:Object></ds:Object></ds:Signature>", .malformedSignature),
            ])
        func changes(_ old: String, _ new: String, _ reason: SAMLRejection) {
            let changed = forge.assertion.replacing(old, with: new)
            #expect(changed != forge.assertion)
            #expect(throws: reason) { try Self.assertion(changed) }
        }

        @Test("an unsigned assertion is refused")
        func notSigned() {
            #expect(throws: SAMLRejection.unsigned) { try Self.assertion(forge.unsigned) }
        }

        @Test("keys in a signature are ignored")
        func keysInSignatures() throws {
            let other = SigningKey.generate(.es256)
            var forged = forge
            forged.key = other
            let key = "<ds:KeyInfo><ds:KeyValue><x></x></ds:KeyValue></ds:KeyInfo></ds:Signature>"
            let own = forge.assertion.replacing("</ds:Signature>", with: key)
            #expect(try Self.assertion(own).nameID?.value == "joe")
            let foreign = forged.assertion.replacing("</ds:Signature>", with: key)
            #expect(throws: SAMLRejection.badSignature) { try Self.assertion(foreign) }
        }

        @Test("comments are not signed, and do not truncate text")
        func comments() throws {
            var forge = forge
            forge.subject = "joe@example.com.evil.org"
            let text = forge.assertion.replacing("joe@example.com.", with: "joe@example.com<!-- -->.")
            #expect(try Self.assertion(text).nameID?.value == "joe@example.com.evil.org")
        }

        @Test(
            "declarations other than the XML declaration are refused",
            arguments: [
                ("<!DOCTYPE a>", SAMLRejection.forbiddenDeclaration),
                ("<!DOCTYPE a [<!ENTITY b \"c\">]>", .forbiddenDeclaration),
                ("<!DOCTYPE a SYSTEM \"file:///etc/passwd\">", .forbiddenDeclaration),
                ("<?php ?>", .forbiddenDeclaration), ("<a/>", .malformed), ("a", .malformed), ("\u{0}", .malformed),
            ])
        func prologue(_ text: String, _ reason: SAMLRejection) {
            #expect(throws: reason) { try Self.assertion(text + forge.assertion) }
        }

        @Test(
            "documents that are not assertions are refused",
            arguments: [
                "", "<", "<a>", "<a xmlns='b:", "&#0;", "<a>&b;</a>", "<a b='1' b='2'/>", "<b:a/>", "<a></a>", "{}",
            ])
        func noAssertion(_ text: String) {
            #expect(throws: SAMLRejection.malformed) { try Self.assertion(text) }
        }

        @Test("bytes that are not UTF-8 are refused, with any declaration")
        func encodings() throws {
            let declared = #"<?xml version="1.0" encoding="UTF-8"?>"# + forge.assertion
            #expect(try Self.assertion(declared).nameID?.value == "joe")
            var bytes = Array(forge.assertion.utf8)
            bytes[bytes.count - 30] = 0xFF
            let wide = Array(forge.assertion.utf16).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            for document in [bytes, [0xFE, 0xFF] + wide] {
                #expect(throws: SAMLRejection.malformed) {
                    try SAMLVerifier.assertion(in: document, signedBy: [], allowsSHA1: false)
                }
            }
        }

        // MARK: Wrapping

        @Test("eight kinds of signature wrapping are refused")
        func wrapping() throws {
            let signed = forge.assertion
            var other = forge
            other.id = "_a2"
            other.subject = "admin"
            let forged = other.unsigned
            let signature = forge.signature(of: forge.unsigned, id: "_a1")
            let bare = forge.unsigned
            func inside(_ outer: String, _ inner: String) -> String {
                outer.replacing("</saml:Subject>", with: "</saml:Subject><saml:Advice>\(inner)</saml:Advice>")
            }
            let head = "</saml:Issuer>"
            let documents: [(String, SAMLRejection)] = [
                // Forged, with the signed one in it, and its signature before that, or in it.
                (inside(forged, signed), .unsigned),
                (inside(forged.replacing(head, with: head + signature), bare), .wrongReference),
                // The same id twice, under either spelling of the attribute.
                (
                    inside(forged.replacing("_a2", with: "_a1").replacing(head, with: head + signature), bare),
                    .wrongReference
                ),
                (inside(signed, "<x ID=\"_a1\"></x>"), .wrongReference),
                (inside(signed, "<x id=\"_a1\"></x>"), .wrongReference),
                (inside(signed, "<x xml:id=\"_a1\"></x>"), .wrongReference),
                // The signed one in an object of the signature.
                (
                    forged.replacing(
                        head,
                        with: head
                            + signature.replacing(
                                "</ds:Signature>", with: "<ds:Object>\(bare)</ds:Object></ds:Signature>")),
                    .malformedSignature
                ),
                // Two signatures.
                (signed.replacing(head, with: head + signature), .malformedSignature),
                // Something added to what is signed.
                (inside(signed, "<x></x>"), .badSignature),
            ]
            for (document, reason) in documents {
                #expect(throws: reason, "\(document)") { try Self.assertion(document) }
            }
        }

        @Test("a response with one assertion is verified if either of them is signed")
        func responses() throws {
            let forge = forge
            let own = try Self.response(forge.response())
            #expect(own.assertion.nameID?.value == "joe" && !own.isSigned && own.id == "_r1")
            let whole = try Self.response(forge.signedResponse(forge.unsigned))
            #expect(whole.assertion.nameID?.value == "joe" && whole.isSigned)
            #expect(try Self.response(forge.signedResponse()).isSigned)
            var other = forge
            other.subject = "admin"
            other.id = "_a2"
            let documents: [(String, SAMLRejection)] = [
                (forge.response(forge.unsigned), .unsigned),
                (forge.response(""), .notOneAssertion),
                (forge.response(forge.assertion + other.unsigned), .notOneAssertion),
                (forge.signedResponse(forge.assertion + other.assertion), .notOneAssertion),
                (forge.signedResponse(forge.assertion.replacing(">joe<", with: ">ann<")), .badSignature),
                (forge.response(status: "Responder"), .statusNotSuccess),
                (forge.response().replacing("<samlp:Status>", with: "<samlp:Status/><samlp:Status>"), .malformed),
                (forge.response("<saml:EncryptedAssertion xmlns:saml=\"\(Self.namespace)\"/>"), .encrypted),
                // The signed assertion in an extension, and a forged one in its place.
                (
                    forge.response(other.unsigned).replacing(
                        "<samlp:Status>", with: "<samlp:Extensions>\(forge.assertion)</samlp:Extensions><samlp:Status>"),
                    .unsigned
                ),
                (forge.assertion, .malformed),
            ]
            for (document, reason) in documents {
                #expect(throws: reason, "\(document)") { try Self.response(document) }
            }
            #expect(throws: SAMLRejection.responseInsteadOfAssertion) { try Self.assertion(forge.response()) }
        }

        private static let namespace = "urn:oasis:names:tc:SAML:2.0:assertion"

        @Test("the claimed issuer is read without verification")
        func issuers() throws {
            func claimed(_ document: String) throws -> String {
                try SAMLVerifier.claimedIssuer(in: Array(document.utf8))
            }
            #expect(try claimed(forge.assertion) == forge.issuer)
            #expect(try claimed(forge.response()) == forge.issuer)
            #expect(throws: SAMLRejection.responseInsteadOfAssertion) {
                try SAMLVerifier.claimedIssuer(ofAssertion: Array(forge.response().utf8))
            }
        }

        @Test("UAX #15 section 13: long runs of combining marks are refused", arguments: ["\u{301}", "&#769;"])
        func marks(_ mark: String) throws {
            func claimed(_ part: String, _ replacement: String) throws -> String {
                try SAMLVerifier.claimedIssuer(in: Array(forge.assertion.replacing(part, with: replacement).utf8))
            }
            let (few, many) = (String(repeating: mark, count: 30), String(repeating: mark, count: 31))
            let issuer = forge.issuer + String(repeating: "\u{301}", count: 30)
            #expect(try claimed("</saml:Issuer>", "\(few)</saml:Issuer>") == issuer)
            #expect(throws: SAMLRejection.malformed) { try claimed("</saml:Issuer>", "\(many)</saml:Issuer>") }
            for name in ["Format", "xmlns:q"] {
                #expect(throws: SAMLRejection.malformed) {
                    try claimed("<saml:Issuer", "<saml:Issuer \(name)='\(many)'")
                }
            }
        }

        // MARK: Hostile documents

        private func took(_ document: String, _ reason: SAMLRejection) {
            let clock = ContinuousClock()
            let time = clock.measure {
                #expect(throws: reason) { try Self.assertion(document) }
            }
            // Generous: what is guarded against takes minutes.
            #expect(time < .seconds(5))
        }

        @Test("entity expansion, deep nesting and excessive parts are refused")
        func floods() {
            let laughs = (1...9).reduce("<!ENTITY l0 \"ha\">") { text, level in
                text + "<!ENTITY l\(level) \"\(String(repeating: "&l\(level - 1);", count: 10))\">"
            }
            took("<!DOCTYPE a [\(laughs)]><a>&l9;</a>", .forbiddenDeclaration)
            took(String(repeating: "<a>", count: 100_000), .tooLarge)
            took(String(repeating: "<a>", count: 49) + String(repeating: "</a>", count: 49), .tooLarge)
            let attributes = (0..<50_000).map { "a\($0)=''" }.joined(separator: " ")
            took("<a \(attributes)/>", .tooLarge)
            took(String(repeating: " ", count: 600_000), .tooLarge)
            // Each element has a copy of the name of its namespace.
            let long = String(repeating: "u", count: 400_000)
            took("<b xmlns:a='\(long)'>\(String(repeating: "<a:x/>", count: 6000))</b>", .tooLarge)
            let signature = forge.signature(of: forge.unsigned, id: "_a1")
            let many = String(repeating: signature, count: 65_536 / signature.utf8.count)
            took(forge.assertion.replacing("</saml:Issuer>", with: "</saml:Issuer>\(many)"), .malformedSignature)
        }

        @Test("the limits of attributes, elements and depth are enforced")
        func bounds() throws {
            let attributes = (0..<8000).map { "a\($0)=''" }.joined(separator: " ")
            took("<a \(attributes)/>", .tooLarge)
            let declared = (0..<8000).map { "xmlns:a\($0)='b'" }.joined(separator: " ")
            took("<a \(declared)/>", .tooLarge)
            let few = (0..<256).map { "a\($0)='' xmlns:a\($0)='b'" }.joined(separator: " ")
            took("<a \(few)/>", .malformed)
            // What canonical form would look for on each element.
            let prefixes = (0..<4000).map { "a\($0)" }.joined(separator: " ")
            let exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#"
            let list = "<i:InclusiveNamespaces xmlns:i=\"\(exclusive)\" PrefixList=\"\(prefixes)\"/></ds:Transform>"
            let slow = forge.assertion.replacing(
                "xml-exc-c14n#\"></ds:Transform>", with: "xml-exc-c14n#\">\(list)")
            #expect(slow.contains("PrefixList"))
            took(slow, .malformedSignature)
            let nested = String(repeating: "<a>", count: 48) + String(repeating: "</a>", count: 48)
            took(nested, .malformed)
            took("<a>" + String(repeating: "<b/>", count: 16_000) + "</a>", .malformed)
            var forge = forge
            forge.attributes = [("groups", (0..<3000).map { "g\($0)" })]
            #expect(try Self.assertion(forge.assertion).attributes[0].values.count == 3000)
        }
    }
#endif
