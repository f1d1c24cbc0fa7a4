import Identity
import MobileSocial
import TestSupport
import Testing
import TokenStorage

/// When sessions were used, between processes that share a store (OMS-09).
@Suite struct SessionRegisterTests {
    private func record(_ id: String) -> TokenRecord {
        TokenRecord(
            id: id, kind: .session, application: "mbe-inv-1", subject: "joe", tokenID: id, accessExpiresAt: 5000,
            issuedAt: 1000)
    }

    private func perform(_ store: any TokenStore, _ operation: StoreOperation) {
        store.perform(operation, now: 1000) { _ in }
    }

    @Test("uses are written once a second, and seen by the other process")
    func uses() {
        let store = MemoryTokenStore()
        perform(store, .insert(record("s")))
        let (here, there) = (SessionRegister(store: store), SessionRegister(store: store))
        let mine = here.activity(of: "s", idleSeconds: 60, usedAt: 1000, endsAt: 5000)
        let theirs = there.activity(of: "s", idleSeconds: 60, usedAt: 1000, endsAt: 5000)
        theirs.use(at: 1050)
        #expect(mine.isIdle(at: 1060))
        there.tick(now: 1051)
        #expect(here.confirm(mine, now: 1060).settled() == .inUse)
        #expect(mine.usedAt == 1050)
        #expect(here.confirm(mine, now: 1110).settled() == .ended)
        // It is gone for all clients.
        #expect(there.confirm(theirs, now: 1060).settled() == .ended)
    }

    @Test("all tokens of a session share one activity, whose time never decreases")
    func oneActivity() {
        let register = SessionRegister(store: MemoryTokenStore())
        let first = register.activity(of: "s", idleSeconds: 60, usedAt: 1000, endsAt: 2000)
        let second = register.activity(of: "s", idleSeconds: 60, usedAt: 1030, endsAt: 3000)
        #expect(first === second && first.usedAt == 1030)
        first.use(at: 1010)
        #expect(first.usedAt == 1030)
        #expect(!first.isIdle(at: 1089) && first.isIdle(at: 1090))
        // What has ended is forgotten, once its last use is written.
        register.tick(now: 3000)
        register.tick(now: 3001)
        #expect(register.activity(of: "s", idleSeconds: 60, usedAt: 1, endsAt: 4000) !== first)
    }
}
