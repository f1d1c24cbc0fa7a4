import Bytes
import Crypto
import Identity
import TestSupport
import Testing

@testable import LoginPages
@testable import MobileSocial

/// The pieces that calls of Mobile & Social are made of.
@Suite struct MobilePartsTests {
    @Test("oam-wire 8.3 (8): UIDPASSWORD has the exact specified form")
    func uidPassword() {
        func cred(_ text: String) -> String { String(decoding: Base64.encode(Array(text.utf8).span), as: UTF8.self) }
        let good = ClientProof(application: "DemoApp", secret: "crh.v1.7nQ2")
        #expect(ClientProof(#"UIDPASSWORD cred="\#(cred("DemoApp:crh.v1.7nQ2"))""#) == good)
        #expect(ClientProof(#"uidpassword   cred="\#(cred("DemoApp:crh.v1.7nQ2"))""#) == good)
        // The first colon ends the name.
        #expect(ClientProof(#"UIDPASSWORD cred="\#(cred("a:b:c"))""#) == ClientProof(application: "a", secret: "b:c"))
        for bad in [
            "UIDPASSWORD cred=\(cred("a:b"))", #"UIDPASSWORD cred="\#(cred("a:b"))"#, #"UIDPASSWORD cred="a b""#,
            #"UIDPASSWORD cred="\#(cred("ab"))""#, #"UIDPASSWORD cred="\#(cred(":b"))""#,
            #"UIDPASSWORD cred="\#(cred("a:"))""#, #"UIDPASSWORD cred="""#, "UIDPASSWORD", "",
            #"UIDPASSWORDcred="\#(cred("a:b"))""#, #"Basic cred="\#(cred("a:b"))""#,
            #"UIDPASSWORD Cred="\#(cred("a:b"))""#, #"UIDPASSWORD cred="\#(cred("a:b"))" x="y""#,
        ] {
            #expect(ClientProof(bad) == nil, "\(bad)")
        }
    }

    @Test("paths are parsed into services and domains, the two names of validation, and profiles")
    func paths() {
        #expect(MobileSocialPath("/oic_rest/rest/svc/register") == .call(.register, service: "svc"))
        #expect(MobileSocialPath("/oic_rest/rest/svc/tokens/info") == .call(.info, service: "svc"))
        #expect(MobileSocialPath("/oic_rest/rest/svc/validate") == .call(.validate, service: "svc"))
        #expect(MobileSocialPath("/oic_rest/rest/AppProfiles/Demo%20App") == .profile(application: "Demo App"))
        for bad in [
            "/oic_rest/rest/appprofiles/DemoApp", "/oic_rest/rest/svc", "/oic_rest/rest/svc/",
            "/oic_rest/rest//register",
            "/oic_rest/rest/svc/Register", "/oic_rest/rest/svc/tokens", "/oic_rest/rest/svc/register/x",
            "/oic_rest/rest/AppProfiles/a/b", "/oic_rest/rest/svc/%00",
        ] {
            #expect(MobileSocialPath(bad) == nil, "\(bad)")
        }
    }

    @Test("RFC 6238 appendix B: codes are the last six digits for the test secret")
    func codes() {
        let secret = Array("12345678901234567890".utf8)
        for (time, code) in [
            (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
            (2_000_000_000, "279037"), (20_000_000_000, "353130"),
        ] as [(Int64, String)] {
            #expect(OneTimeCode.code(of: secret, step: time / 30) == code)
            #expect(OneTimeCode.step(of: code, secret: secret, now: time) == time / 30)
            // Clocks differ by a step, and by no more.
            #expect(OneTimeCode.step(of: code, secret: secret, now: time + 30) == time / 30)
            #expect(OneTimeCode.step(of: code, secret: secret, now: time + 60) == nil)
        }
        #expect(OneTimeCode.step(of: "", secret: secret, now: 59) == nil)
    }

    @Test("a device is identified by its attributes in any order, ignoring UNKNOWN")
    func deviceIdentity() throws {
        func identity(_ json: String) throws -> String {
            try #require(DeviceProfile.read(try JSONNode.parse(Array(json.utf8).span))).identity
        }
        let one = try identity(#"{"hardwareIds":{"udid":"1","imei":"2"}}"#)
        #expect(try identity(#"{"hardwareIds":{"imei":"2","udid":"1"},"ostype":"x"}"#) == one)
        #expect(try identity(#"{"hardwareIds":{"udid":"2","imei":"1"}}"#) != one)
        #expect(try identity(#"{"hardwareIds":{"udid":"UNKNOWN","imei":""}}"#) == "")
        #expect(try identity(#"{"oracle:idm:claims:client:fingerprint":"f"}"#) != "")
        let long = #"{"a":"\#(String(repeating: "x", count: 8200))"}"#
        #expect(DeviceProfile.read(try JSONNode.parse(Array(long.utf8).span)) == nil)
    }

    @Test("OMS-15: a rule denies profiles that have all of its claims only")
    func deviceRules() throws {
        func node(_ json: String) throws -> JSONNode { try JSONNode.parse(Array(json.utf8).span) }
        let rule = DeviceRule(denying: try #require(node(#"{"jailbroken":true,"ostype":"iPhone OS"}"#).members))
        for (json, denied) in [
            (#"{"oracle:idm:claims:client:jailbroken":true,"ostype":"iPhone OS"}"#, true),
            (#"{"jailbroken":true}"#, false), (#"{"jailbroken":"true","ostype":"iPhone OS"}"#, false),
            (#"{"jailbroken":false,"ostype":"iPhone OS"}"#, false), ("{}", false),
        ] {
            #expect(rule.denies(try #require(DeviceProfile.read(node(json)))) == denied, "\(json)")
        }
    }

    private func isSame(_ resource: String, as target: String) -> Bool {
        let context = RequestContext(webgate: "W", level: 2, method: "GET", target: target, expiresAt: 0)
        return ChallengedResource(resource)?.isSame(as: context) ?? false
    }

    @Test("oam-wire 8.3 (3): a bare question mark at the end of a resource is ignored")
    func resources() {
        for (resource, same) in [
            ("https://gw.example.com/a/b?x=1", true), ("http://other:8080/a/b?x=1?", true), ("/a/b?x=1", true),
            ("https://gw.example.com/a/b", false), ("https://gw.example.com/a/b?x=1??", false),
            ("https://gw.example.com/A/b?x=1", false), ("", false), ("https://gw.example.com", false),
            ("a/b?x=1", false), ("//gw.example.com/a/b?x=1", false), ("ftp://gw.example.com/a/b?x=1", false),
            ("https://gw.example.com/a/b?x=1#f", false), ("https://joe@gw.example.com/a/b?x=1", false),
            ("https:///a/b?x=1", false), ("https://gw.example.com:0/a/b?x=1", false),
        ] {
            #expect(isSame(resource, as: "/a/b?x=1") == same, "\(resource)")
        }
        #expect(isSame("https://h/a?", as: "/a"))
        #expect(!isSame("https://h/a?x", as: "/a"))
        // CHAL-02: the challenge of a long target shows its path alone.
        #expect(isSame("https://h/a?" + String(repeating: "x", count: 2100), as: "/a"))
        #expect(isSame("https://h", as: "/") && isSame("https://h?x", as: "/?x"))
    }

    @Test("RFC 3986 section 6.2.2: equivalent spellings of path and query match; other paths do not")
    func spellings() {
        for (resource, target, same) in [
            ("/caf%c3%a9/%7ejoe", "/caf%C3%A9/~joe", true), ("/a/./b/../c", "/a/c", true),
            ("/a?x=%7e%2f", "/a?x=~%2F", true),
            ("/a?x=%2F", "/a?x=/", false), ("/a%2Fb", "/a/b", false), ("/a/../../b", "/b", false),
            ("/a?x=%4", "/a?x=%4", true),
            ("/a?%78=1", "/a?x=1", true), ("/a?X=1", "/a?x=1", false),
        ] {
            #expect(isSame("https://h\(resource)", as: target) == same, "\(resource)")
            #expect(isSame(target, as: resource) == same, "\(resource)")
        }
    }

    @Test("DEC-12: a pending login is sealed, and opens with its keys until it expires")
    func pendingLogin() throws {
        let facts = MobileSession.Facts(
            domain: "d", application: "a", level: 3, methods: ["pwd"], authenticatedAt: 5, idleSeconds: 7)
        let pending = PendingLogin(
            facts, username: "joe@example.com", sessionSeconds: 60, steps: [.question, .code], question: 1, now: 100)
        func record(_ seeds: UInt8...) throws -> SealedRecord {
            let keys = seeds.compactMap { seed in
                let bytes = [UInt8](repeating: seed, count: 32)
                return AEADKey(bytes.span)
            }
            return BrowserSeals(keys: try #require(AEADKeyRing(keys))).pendingLogins
        }
        let sealed = pending.sealed(try record(1))
        #expect(!sealed.contains("joe@example.com"))
        let rotated = try record(2, 1)
        #expect(try PendingLogin(sealed, rotated, now: 399) == pending)
        #expect(throws: SealedRecord.Failure.expired) { try PendingLogin(sealed, rotated, now: 400) }
        for (text, record) in [
            (sealed, try record(2)), (String(sealed.dropLast()), rotated), ("ch.v1.", rotated),
            (String(sealed.dropFirst(6)), rotated), (Mobile.seals.tickets.seal(["{}"], expiresAt: 400), rotated),
        ] {
            #expect(throws: SealedRecord.Failure.notOurs) { try PendingLogin(text, record, now: 101) }
        }
    }
}
