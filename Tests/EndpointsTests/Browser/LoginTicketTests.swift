import Crypto
import Identity
import Testing

@testable import LoginPages

@Suite struct LoginTicketTests {
    private let record: SealedRecord
    private let ticket: LoginTicket

    init() throws {
        let key = [UInt8](repeating: 7, count: 32)
        record = SealedRecord(keys: try #require(AEADKey(key.span).flatMap { AEADKeyRing([$0]) }), purpose: "login")
        ticket = LoginTicket(purpose: "login M", target: try #require(ReturnTarget("/a")), nonce: "abc")
    }

    private func read(
        _ text: String, for purpose: String = "login M", nonce: String? = "abc", at now: Int64 = 1_000
    ) -> Result<LoginTicket, BrowserLoginFailure> {
        do throws(BrowserLoginFailure) {
            return .success(try LoginTicket(text, for: purpose, nonce: nonce, record, now: now))
        } catch {
            return .failure(error)
        }
    }

    @Test("a ticket is bound to the browser's cookie, its purpose and ten minutes")
    func binding() {
        let sealed = ticket.sealed(record, now: 1_000)
        #expect(read(sealed, at: 1_599) == .success(ticket))
        #expect(read(sealed, at: 1_600) == .failure(.expiredForm))
        for nonce in ["abd", "", nil] { #expect(read(sealed, nonce: nonce) == .failure(.foreignForm)) }
        #expect(read(sealed, for: "logout") == .failure(.foreignForm))
        #expect(read("") == .failure(.foreignForm))
    }

    @Test("a sealed record of another shape is not a ticket")
    func shape() {
        for texts in [["login M", "abc"], ["login M", "//evil", "abc"], ["login M", "/a", "2", "abc"]] {
            #expect(read(record.seal(texts, expiresAt: 2_000)) == .failure(.foreignForm))
        }
    }

    @Test("a valid browser half is kept; an invalid one is replaced")
    func nonce() {
        let made = LoginTicket.nonce(nil)
        #expect(LoginTicket.nonce(made) == made)
        for text in ["", "short", made + "x", String(made.dropLast()) + "!", String(made.dropLast()) + "ä"] {
            #expect(LoginTicket.nonce(text) != text)
        }
    }
}
