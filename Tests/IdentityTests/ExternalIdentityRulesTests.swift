import Bytes
import Identity
import Model
import Testing

@Suite struct ExternalIdentityRulesTests {
    static let catalogue = RoleCatalogue(["Manager"])

    @Test(
        "U01 to U18 (JWT-13 to JWT-16, JWT-24, MAP-01, MAP-02, MBE-09): users are identified as specified",
        arguments: Vector.all("usermap.json"))
    func vector(_ vector: Vector) throws {
        let users = (vector.file["users"]?.array ?? []).map {
            User(
                username: $0["username"]?.string ?? "", email: $0["email"]?.string ?? "",
                realm: $0["realm"]?.string ?? "")
        }
        guard vector.node["configError"]?.bool != true else {
            #expect(ExternalIdentityRules(issuer: vector.issuer) == nil)
            return
        }
        let rules = try #require(ExternalIdentityRules(issuer: vector.issuer))
        let identity = try? rules.identify(
            claims: vector.claims, realm: vector.file["backendRealm"]?.string, users: store(users),
            catalogue: Self.catalogue)
        guard vector.node["reject"]?.bool != true else {
            #expect(identity == nil)
            return
        }
        #expect(identity?.username == vector.node["user"]?.string)
        #expect(identity?.virtual == vector.node["virtual"]?.bool)
    }

    @Test("all vectors are present")
    func thereAreAllVectors() {
        #expect(Vector.all("usermap.json").count == 18)
    }

    private func rejection(
        _ rules: ExternalIdentityRules, _ claims: String, _ users: [User], realm: String? = "Default"
    ) throws -> ExternalIdentityRejection? {
        let claims = try json(claims)
        do throws(ExternalIdentityRejection) {
            _ = try rules.identify(claims: claims, realm: realm, users: store(users), catalogue: Self.catalogue)
            return nil
        } catch {
            return error
        }
    }

    @Test("MAP-04: a disabled account is refused")
    func disabledAccountIsRefused() throws {
        let joe = User(username: "joe", enabled: false)
        #expect(try rejection(ExternalIdentityRules(), #"{"sub":"joe"}"#, [joe]) == .disabledUser)
    }

    @Test("JWT-24: a mail address of two accounts is refused")
    func ambiguousMailAddressIsRefused() throws {
        let users = [User(username: "a", email: "X@example.com"), User(username: "b", email: "x@EXAMPLE.com")]
        let rules = ExternalIdentityRules(userMapping: .mail)
        #expect(try rejection(rules, #"{"sub":"x@example.com"}"#, users) == .ambiguousUser)
    }

    @Test("mail addresses ignore only the case of ASCII letters")
    func mailAddressIgnoresCaseOfLettersAlone() throws {
        let users = [User(username: "k", email: "K@example.com")]
        let rules = ExternalIdentityRules(userMapping: .mail)
        #expect(try rejection(rules, #"{"sub":"k@Example.COM"}"#, users) == nil)
        // U+212A KELVIN SIGN lower-cases to k, and is another address all the same.
        #expect(try rejection(rules, #"{"sub":"\u212A@example.com"}"#, users) == .unknownUser)
    }

    @Test("names are compared byte by byte")
    func nameIsComparedByteByByte() throws {
        let users = [User(username: "Karl")]
        #expect(try rejection(ExternalIdentityRules(), #"{"sub":"\u212Aarl"}"#, users) == .unknownUser)
        #expect(try rejection(ExternalIdentityRules(), #"{"sub":"karl"}"#, users) == .unknownUser)
    }

    @Test("without a backend, a name that exists in two realms is refused")
    func nameInTwoRealmsIsRefusedWithoutBackend() throws {
        let users = [
            User(username: "joe", realm: "A"), User(username: "joe", realm: "B"), User(username: "ann", realm: "B"),
        ]
        let rules = ExternalIdentityRules()
        #expect(try rejection(rules, #"{"sub":"joe"}"#, users, realm: nil) == .ambiguousUser)
        #expect(try rejection(rules, #"{"sub":"joe"}"#, users, realm: "A") == nil)
        #expect(try rejection(rules, #"{"sub":"ann"}"#, users, realm: nil) == nil)
    }

    @Test(
        "a name that is unfit for a header field is refused",
        arguments: [
            #"joe\r\nX-Admin: 1"#, #"joe\u0000"#, #"jo\te"#, #"\u007Fjoe"#, String(repeating: "x", count: 513),
            "jo\u{200B}e", "joe\u{202E}", "jo\u{AD}e", "\u{2800}", "joe\u{A0}", "joe ",
        ])
    func nameUnfitForHeadersIsRefused(_ name: String) throws {
        let rules = ExternalIdentityRules(virtualUserEnabled: true)
        #expect(try rejection(rules, #"{"sub":"\#(name)"}"#, []) == .unusableUsername)
    }

    @Test("a user that is numbered is named by the digits")
    func numberedUser() throws {
        let users = [User(username: "9007199254740993")]
        let rules = ExternalIdentityRules(usernameSources: ["id"])
        #expect(try rejection(rules, #"{"sub":"x","id":9007199254740993}"#, users) == nil)
        #expect(try rejection(rules, #"{"sub":"x","id":9007199254740992}"#, users) == .unknownUser)
        #expect(try rejection(ExternalIdentityRules(), #"{"sub":9007199254740993}"#, users) == nil)
    }

    @Test(
        "a subject that is not a string is refused",
        arguments: [
            #"{"sub":5.0,"prn":"joe"}"#, #"{"sub":-5}"#, #"{"sub":5e3}"#, #"{"sub":true}"#,
            #"{"sub":null,"prn":"joe"}"#, #"{"sub":"","prn":"joe"}"#, #"{"sub":["joe"]}"#,
        ])
    func subjectOfAnotherTypeIsNoName(_ claims: String) throws {
        let rules = ExternalIdentityRules(virtualUserEnabled: true)
        #expect(try rejection(rules, claims, []) == .missingUsername)
    }
}
