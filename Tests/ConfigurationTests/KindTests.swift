import Bytes
import Declaration
import Model
import Testing

@testable import Configuration

/// Kinds that only these tests have, each read by its own type beside those of the list.
@Suite struct KindTests {
    private struct BadgeEntry: ProviderEntry {
        static let kinds = ["badge"]
        static let meaning = "`badge`: a reader at the door."
        let verifiesAddresses = true

        let door: Int

        static func read(_ object: inout ObjectReader, _ reading: ProviderReading) -> BadgeEntry? {
            object.keys(with: ProviderReading.isNamed(kinds), because: reading.unused) { object in
                BadgeEntry(door: object.required("door", .integer(1...9), "a door", placeholder: 0, "Its number."))
            }
        }
    }

    private static let provider = IdentityProviderEntry.shape(kinds: ProviderKinds.all + [BadgeEntry.self])

    @Test("a further kind of identity provider has its keys, and the others do not")
    func provider() throws {
        let findings = Findings(sources: Sources(), directory: "/", production: false)
        let node = try JSONNode.parse(#"{"name": "gate", "kind": "badge", "door": 5, "clockSkew": "9s"}"#.utf8.span)
        let entry = try #require(Self.provider.read(Field(node: node, pointer: "", findings: findings)))
        #expect(findings.diagnostics.isEmpty && entry.kind.name == "badge" && entry.clockSkew == .seconds(9))
        #expect((entry.settings as? BadgeEntry)?.door == 5 && entry.users.emailRule == .verified)
        for (text, messages) in [
            (
                #"{"name": "a", "kind": "badge", "issuer": "https://a"}"#,
                [
                    #"/door: required member "door" is missing"#,
                    #"/issuer: a provider of kind "badge" has no use for it"#,
                ]
            ),
            (
                #"{"name": "a", "kind": "local", "door": 5, "clientId": "c"}"#,
                [
                    #"/clientId: a provider of kind "local" has no use for it"#,
                    #"/door: a provider of kind "local" has no use for it"#,
                ]
            ),
            (
                #"{"name": "a", "issuer": "https://a", "clientId": "c", "door": 5}"#,
                [#"/door: a provider of kind "oidc" has no use for it"#]
            ),
        ] {
            let found = KeyRuleTests.diagnostics(Self.provider, text).map { "\($0.pointer): \($0.message)" }
            #expect(found.sorted() == messages, "\(text)")
        }
    }

    private enum WordFormat: PolicyFormat {
        static let name = "word"
        static let meaning = "`word` sends the path and reads `yes`"
        static let hasClaims = false
        static let ownFields = ["x-own"]
    }

    @Test("a further format of policy servers is a value of the key, with what it excludes")
    func policyFormat() throws {
        let shape = Shape.object("rules") { object in
            PolicyServerEntry.rules(&object, formats: PolicyFormats.all + [WordFormat.self])
        }
        let findings = Findings(sources: Sources(), directory: "/", production: false)
        let node = try JSONNode.parse(#"{"format": "word"}"#.utf8.span)
        let rules = try #require(shape.read(Field(node: node, pointer: "", findings: findings)))
        #expect(findings.diagnostics.isEmpty && rules.format == WordFormat.self)
        for (text, expected) in [
            (#"{"format": "word", "claims": ["a"]}"#, #"/claims: "format": "opa" or "authzen""#),
            (
                #"{"format": "word", "inputHeaders": ["X-Own"]}"#,
                #"/inputHeaders: "format": "opa" or "http" or "authzen""#
            ),
            (
                #"{"format": "http", "inputHeaders": ["Accept-Encoding"]}"#,
                #"/inputHeaders: "format": "opa" or "authzen" or "word""#
            ),
            (#"{"format": "word", "evaluations": [{"action": "a"}]}"#, #"/evaluations: "format": "authzen""#),
            (#"{"evaluations": [{}]}"#, #"/evaluations: "format": "authzen""#),
        ] {
            let found = KeyRuleTests.diagnostics(shape, text).map { "\($0.pointer): \($0.expected ?? "")" }
            #expect(found == [expected])
        }
    }

    private enum TicketKind: CredentialKind {
        static let name = "ticket"
        static let meaning: String? = "of a concert"
        static let takesKeyBeside = true
        static let issuer: CredentialIssuer? = CredentialIssuer(.namesItself, "the hall")
        static let header: String? = "where it is shown"
    }

    @Test("a further kind of credential is a word of the list, an object with what it has, and stands beside a key")
    func credential() throws {
        let shape = AuthenticatorList(CredentialKinds.all + [TicketKind.self]).shape
        let text = """
            ["bearer", "ticket", {"type": "ticket", "issuer": "Opera, north", "header": "X-Ticket", "onFailure": "next"},
             {"all": ["apiKey", "ticket"]}]
            """
        let findings = Findings(sources: Sources(), directory: "/", production: false)
        let node = try JSONNode.parse(text.utf8.span)
        let list = try #require(shape.read(Field(node: node, pointer: "", findings: findings)))
        // The last one is the second of its kind without an issuer.
        #expect(findings.diagnostics.map(\.message) == ["the kind is listed twice"])
        #expect(list.map(\.kind.name) == ["bearer", "ticket", "ticket", "ticket"] && list[3].needsKey)
        #expect(list[2].issuer == "Opera, north" && list[2].header == "X-Ticket" && list[2].fallsThrough)
        for (text, expected) in [
            (
                #"["tickets"]"#,
                #"a kind of credential: "bearer", "basic", "anonymousKey", "apiKey", "certificate", "session", "saml", "ticket", or {"type"}"#
            ),
            (#"[{"type": "ticket", "cache": "9s"}]"#, #""type": "basic" and "issuer" beside it"#),
            (#"[{"type": "session", "header": "X-Ticket"}]"#, #""type": "saml" or "type": "ticket""#),
            (#"[{"type": "session", "issuer": "x"}]"#, #""type": "bearer", "basic", "saml" or "ticket""#),
        ] {
            #expect(KeyRuleTests.diagnostics(shape, text).map(\.expected) == [expected], "\(text)")
        }
    }
}
