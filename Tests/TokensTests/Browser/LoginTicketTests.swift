import Crypto
import Testing

@testable import Tokens

@Suite struct LoginTicketTests {
    private let record: SealedRecord
    private let ticket: LoginTicket

    init() throws {
        let key = [UInt8](repeating: 7, count: 32)
        record = SealedRecord(keys: try #require(AEADKey(key.span).flatMap { AEADKeyRing([$0]) }), purpose: "login")
        ticket = LoginTicket(purpose: "Mobile", target: try #require(ReturnTarget("/mobileapp")), nonce: "abc")
    }

    @Test("SSO-07: a form counts with the cookie of the browser that it was handed out to, and for ten minutes")
    func binding() {
        let sealed = ticket.sealed(record, now: 1_000)
        #expect(LoginTicket(sealed, nonce: "abc", record, now: 1_599) == ticket)
        #expect(LoginTicket(sealed, nonce: "abd", record, now: 1_000) == nil)
        #expect(LoginTicket(sealed, nonce: "", record, now: 1_000) == nil)
        #expect(LoginTicket(sealed, nonce: nil, record, now: 1_000) == nil)
        #expect(LoginTicket(sealed, nonce: "abc", record, now: 1_600) == nil)
        #expect(LoginTicket("", nonce: "abc", record, now: 1_000) == nil)
    }

    @Test("what was sealed for something else is no ticket")
    func shape() {
        #expect(LoginTicket(record.seal(["a", "b"], expiresAt: 2_000), nonce: "b", record, now: 1_000) == nil)
        #expect(LoginTicket(record.seal(["a", "//evil", "b"], expiresAt: 2_000), nonce: "b", record, now: 1_000) == nil)
    }
}
