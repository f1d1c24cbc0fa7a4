import Bytes
import Crypto
import Model
import Testing

@testable import Identity

@Suite struct BrowserSealsTests {
    private static func seals(_ seed: UInt8 = 1) throws -> BrowserSeals {
        let bytes = [UInt8](repeating: seed, count: 32)
        return BrowserSeals(keys: try #require(AEADKey(bytes.span).flatMap { AEADKeyRing([$0]) }))
    }

    private static let ofDomain = {
        var session = BrowserSealsTests.session
        session.subject = "joë"
        session.idleSeconds = 60
        session.place = Session.Place(domain: "Partners", backendID: "mbe-1")
        return session
    }()

    private static let session = Session(
        id: "s-1", subject: "joe", realm: "Default", login: LoginFacts(authenticatedAt: 1_000, level: 3),
        expiresAt: 2_000)

    private func open(
        _ text: String, _ seals: BrowserSeals, ofDomain: Bool = true, now: Int64 = 1_500
    ) -> Session? {
        let bytes = Array(text.utf8)
        return try? seals.session(bytes.span, ofDomain: ofDomain, now: now)
    }

    @Test("DEC-12: a sealed session opens unchanged until it expires")
    func session() throws {
        let seals = try Self.seals()
        var endless = Self.ofDomain
        endless.idleSeconds = nil
        var guest = Self.ofDomain
        guest.place?.isGuest = true
        var provided = Self.ofDomain
        (provided.family, provided.provider, provided.foundations) = ("f-1", "idp", ["on-1", "on-2"])
        (provided.levels, provided.login.providerTime) = (["urn:silver"], 900)
        (provided.login.isVirtual, provided.login.roles, provided.login.methods) = (true, ["Guest"], ["mfa", "pwd"])
        provided.usedAt = 1_200
        provided.claims = Array(#"{"email":"a@b","n":1.50,"deep":{"list":[null,true]}}"#.utf8)
        for session in [Self.ofDomain, endless, guest, provided] {
            let cookie = seals.seal(session)
            #expect(open(cookie, seals) == session)
            #expect(open(cookie, seals, now: 2_000) == nil)
            #expect(open(cookie, try Self.seals(2)) == nil)
        }
        #expect(open(String(repeating: "A", count: 5_000), seals) == nil)
    }

    @Test("of claims that a cookie cannot hold, only those are kept that routes look at")
    func claims() throws {
        let seals = try Self.seals()
        func session(_ name: String) throws -> Session {
            let claims = try JSONNode.parse(#"{"name": "\#(name)", "email": "a@b", "x": {"y": 1, "z": 2}}"#.utf8.span)
            var session = Self.session
            let kept = KeptClaims(
                try ["name", "email", "x.y", "none"].map { try ClaimPath($0) },
                needed: try ["email", "x.z"].map { try ClaimPath($0) })
            seals.keep(kept, of: claims, in: &session)
            return session
        }
        let short = try session("Joe")
        #expect(String(decoding: short.claims, as: UTF8.self) == #"{"name":"Joe","email":"a@b","x":{"y":1}}"#)
        #expect(open(seals.seal(short), seals, ofDomain: false) == short)
        let long = try session(String(repeating: "j", count: 4_000))
        #expect(String(decoding: long.claims, as: UTF8.self) == #"{"email":"a@b"}"#)
        #expect(open(seals.seal(long), seals, ofDomain: false) == long)
    }

    @Test("a session cookie is refused by another store, which does not know its logouts")
    func stores() throws {
        let bytes = [UInt8](repeating: 1, count: 32)
        let keys = try #require(AEADKey(bytes.span).flatMap { AEADKeyRing([$0]) })
        let (one, other) = (BrowserSeals(keys: keys, store: "a"), BrowserSeals(keys: keys, store: "b"))
        for session in [Self.session, Self.ofDomain] {
            let (cookie, isOfDomain) = (one.seal(session), session.place != nil)
            #expect(open(cookie, one, ofDomain: isOfDomain) == session)
            #expect(open(cookie, other, ofDomain: isOfDomain) == nil)
            #expect(open(cookie, one, ofDomain: !isOfDomain) == nil, "each is of one use")
        }
        // Where a browser wants to go does not depend on it.
        let page = RequestedPage(try #require(ReturnTarget("/x")), level: 1)
        #expect(other.page(one.seal(page, now: 1_000), now: 1_500) == page)
    }

    @Test("a record sealed for one purpose does not open for another")
    func purposes() throws {
        let seals = try Self.seals()
        for demand in [nil, RequiredLogin(levels: ["a", "b"], maximumAge: 60)] {
            for ways in [[], ["staff", "local"]] {
                let page = RequestedPage(try #require(ReturnTarget("/a?b")), level: 3, demand: demand, ways: ways)
                let sealed = seals.seal(page, now: 1_000)
                #expect(seals.page(sealed, now: 1_000) == page)
                #expect(seals.page(sealed, now: 1_000 + 86_400) == nil)
                #expect(
                    open(sealed, seals, now: 1_000) == nil && open(sealed, seals, ofDomain: false, now: 1_000) == nil)
            }
        }
        #expect(seals.page(seals.seal(Self.session), now: 1_500) == nil)
        #expect(
            open(seals.tickets.seal([String(decoding: Self.session.json, as: UTF8.self)], expiresAt: 2_000), seals)
                == nil)
    }

    @Test("a session with an unusable name, or an invalid level or number, is refused")
    func shape() {
        let json = String(decoding: Self.ofDomain.json, as: UTF8.self)
        #expect(Session(Array(json.utf8), expiresAt: 2_000) == Self.ofDomain)
        for (member, changed) in [
            (#""id":"s-1""#, #""id":"""#), (#""family":"s-1""#, #""family":"""#), (#""sub":"joë""#, #""sub":"""#),
            (#""sub":"joë""#, #""sub":"a\r\nb""#), (#""realm":"Default""#, #""realm":1"#),
            (#""idp":"own form""#, #""idp":"""#), (#""level":3"#, #""level":11"#), (#""level":3"#, #""level":"3""#),
            (#""auth_time":1000"#, #""auth_time":1.5"#), (#""roles":[]"#, #""roles":"x""#),
            (#""virtual":false"#, #""virtual":"account""#), (#""used":1000"#, #""used":null"#),
            (#""backend":"mbe-1""#, #""backend":1"#), (#""guest":false"#, #""guest":"guest""#),
        ] {
            let other = json.replacing(member, with: changed)
            #expect(other != json, "\(member) in \(json)")
            #expect(Session(Array(other.utf8), expiresAt: 2_000) == nil, "\(changed)")
        }
        for text in ["", "[]", "{}", String(json.dropLast()), json + json] {
            #expect(Session(Array(text.utf8), expiresAt: 2_000) == nil, "\(text)")
        }
    }

    @Test("the cookie is HttpOnly and SameSite, and on TLS has a name that only this host can set")
    func cookie() {
        #expect(
            BrowserCookie.session.setting("v", secure: true)
                == "__Host-portcullis=v; Path=/; HttpOnly; SameSite=Lax; Secure")
        #expect(BrowserCookie.session.setting("v", secure: false) == "portcullis=v; Path=/; HttpOnly; SameSite=Lax")
        #expect(BrowserCookie.login.removing(secure: false).hasSuffix("; Max-Age=0"))
        #expect(
            BrowserCookie.session.shared(in: "example.com").setting("v", secure: true)
                == "__Secure-portcullis=v; Path=/; Domain=example.com; HttpOnly; SameSite=Lax; Secure")
        #expect(Set(BrowserCookie.names).count == 13)
    }
}
