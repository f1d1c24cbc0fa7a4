import Crypto
import Testing

@testable import Identity

@Suite struct BrowserSealsTests {
    private static func seals(_ seed: UInt8 = 1) throws -> BrowserSeals {
        let bytes = [UInt8](repeating: seed, count: 32)
        return BrowserSeals(keys: try #require(AEADKey(bytes.span).flatMap { AEADKeyRing([$0]) }))
    }

    private static let session = BrowserSession(
        id: "s-1", subject: "joë", backendID: "mbe-1", level: 3, issuedAt: 1_000, expiresAt: 2_000, idleSeconds: 60,
        domain: "Partners")

    private func open(_ text: String, _ seals: BrowserSeals, now: Int64 = 1_500) -> BrowserSession? {
        let bytes = Array(text.utf8)
        return try? seals.session(bytes.span, now: now)
    }

    @Test("DEC-12: a sealed session opens unchanged until it expires")
    func session() throws {
        let seals = try Self.seals()
        var endless = Self.session
        endless.idleSeconds = nil
        var guest = Self.session
        guest.isGuest = true
        var provided = Self.session
        provided.provision = ProvidedLogin(provider: "idp", foundation: "f", isVirtual: true, roles: ["Guest"])
        var account = Self.session
        account.provision = ProvidedLogin(provider: "idp", foundation: "f", isVirtual: false, roles: [])
        for session in [Self.session, endless, guest, provided, account] {
            let cookie = seals.seal(session)
            #expect(open(cookie, seals) == session)
            #expect(open(cookie, seals, now: 2_000) == nil)
            #expect(open(cookie, try Self.seals(2)) == nil)
        }
        #expect(open(String(repeating: "A", count: 5_000), seals) == nil)
    }

    @Test("a session cookie is refused by another store, which does not know its logouts")
    func stores() throws {
        let bytes = [UInt8](repeating: 1, count: 32)
        let keys = try #require(AEADKey(bytes.span).flatMap { AEADKeyRing([$0]) })
        let (one, other) = (BrowserSeals(keys: keys, store: "a"), BrowserSeals(keys: keys, store: "b"))
        let cookie = one.seal(Self.session)
        #expect(open(cookie, one) == Self.session && open(cookie, other) == nil)
        let signOn = SignOnSession(
            id: "s", family: "f", subject: "joe", realm: "Default", provider: "idp", authenticatedAt: 1_000,
            expiresAt: 2_000, level: 1)
        let value = Array(one.seal(signOn).utf8)
        #expect(try one.signOn(value.span, now: 1_500) == signOn)
        #expect(throws: SealedRecord.Failure.notOurs) { _ = try other.signOn(value.span, now: 1_500) }
        // Where a browser wants to go does not depend on it.
        let target = one.seal(try #require(ReturnTarget("/x")), level: 1, now: 1_000)
        #expect(other.target(target, now: 1_500)?.target.text == "/x")
    }

    @Test("a record sealed for one purpose does not open for another")
    func purposes() throws {
        let seals = try Self.seals()
        let target = seals.seal(try #require(ReturnTarget("/a?b")), level: 3, now: 1_000)
        #expect(seals.target(target, now: 1_000)?.target.text == "/a?b")
        #expect(seals.target(target, now: 1_000)?.level == 3)
        #expect(seals.target(target, now: 1_000 + 86_400) == nil)
        #expect(seals.target(seals.seal(Self.session), now: 1_500) == nil)
        #expect(open(target, seals, now: 1_000) == nil)
        #expect(open(seals.tickets.seal(Self.session.texts, expiresAt: 2_000), seals) == nil)
    }

    @Test("a session with an unusable name, or an invalid level or number, is refused")
    func shape() {
        for (place, text) in [(0, ""), (1, ""), (1, "a\r\nb"), (3, "11"), (3, "+2"), (4, "-1"), (5, "x")] {
            var texts = Self.session.texts
            texts[place] = text
            #expect(BrowserSession(texts, expiresAt: 2_000) == nil, "\(place) \(text)")
        }
        #expect(BrowserSession(Array(Self.session.texts.dropLast()), expiresAt: 2_000) == nil)
        for more in [
            ["x"], ["guest", "guest"], ["provider"], ["provider", "idp", "f", "x"], ["provider", "idp", "", "account"],
            ["Provider", "idp", "f", "account"],
        ] {
            #expect(BrowserSession(Self.session.texts + more, expiresAt: 2_000) == nil, "\(more)")
        }
    }

    @Test("the cookie is HttpOnly and SameSite, and on TLS has a name that only this host can set")
    func cookie() {
        #expect(
            BrowserCookie.session.setting("v", secure: true)
                == "__Host-portcullis=v; Path=/; HttpOnly; SameSite=Lax; Secure")
        #expect(BrowserCookie.session.setting("v", secure: false) == "portcullis=v; Path=/; HttpOnly; SameSite=Lax")
        #expect(BrowserCookie.login.removing(secure: false).hasSuffix("; Max-Age=0"))
        #expect(Set(BrowserCookie.names).count == 8)
    }
}
