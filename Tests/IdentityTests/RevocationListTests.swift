import Identity
import Testing

@Suite struct RevocationListTests {
    private let catalogue = RoleCatalogue([])

    private func principal(
        _ subject: String, method: Principal.Method = .bearer, client: String? = "mbe-1", issuedAt: Int64? = 100,
        tokenID: String? = "t1"
    ) -> Principal {
        Principal(
            kind: .user, method: method, subject: subject, issuer: "local", backendID: client, roles: RoleSet(),
            catalogue: catalogue, level: 2, issuedAt: issuedAt, tokenID: tokenID)
    }

    @Test("a new list revokes nothing")
    func nothingIsRevokedAtFirst() {
        let list = RevocationList()
        #expect(list.isEmpty)
        #expect(!list.isRevoked(principal("joe")))
    }

    @Test("a token is revoked by its id")
    func tokenIsRevokedByID() {
        let list = RevocationList()
        list.revoke(tokenID: "t1", until: 200)
        #expect(!list.isEmpty)
        #expect(list.isRevoked(principal("joe")))
        #expect(!list.isRevoked(principal("joe", tokenID: "t2")))
        #expect(!list.isRevoked(principal("joe", tokenID: nil)))
    }

    @Test(
        "a subject's tokens are revoked by issue date",
        arguments: [(99, true), (100, true), (101, false), (nil, true)] as [(Int64?, Bool)])
    func subjectIsRevokedByIssueDate(issuedAt: Int64?, revoked: Bool) {
        let list = RevocationList()
        list.revoke(subject: "joe", issuedBefore: 100, until: 200)
        #expect(list.isRevoked(principal("joe", issuedAt: issuedAt)) == revoked)
        #expect(!list.isRevoked(principal("ann", issuedAt: issuedAt)))
    }

    @Test("MBE-06: a backend's tokens are revoked by issue date")
    func backendIsRevokedByIssueDate() {
        let list = RevocationList()
        list.revoke(backendID: "mbe-1", issuedBefore: 100, until: 200)
        #expect(list.isRevoked(principal("joe")))
        #expect(!list.isRevoked(principal("joe", client: "mbe-2")))
        #expect(!list.isRevoked(principal("joe", client: nil)))
        #expect(!list.isRevoked(principal("joe", issuedAt: 101)))
    }

    @Test("a token is revoked with each of its origins, and with their backends")
    func originsAreLookedAt() {
        func isRevoked(_ revoke: (RevocationList) -> Void, at issuedAt: Int64 = 100) -> Bool {
            let list = RevocationList()
            revoke(list)
            let principal = Principal(
                kind: .user, method: .bearer, subject: "joe", issuer: "local", backendID: "mbe-1", roles: RoleSet(),
                catalogue: catalogue, level: 2, issuedAt: issuedAt, tokenID: "t3",
                origins: [TokenOrigin(tokenID: "t2", backendID: "mbe-2"), TokenOrigin(tokenID: "t1", backendID: nil)])
            return list.isRevoked(principal)
        }
        for id in ["t1", "t2", "t3"] { #expect(isRevoked { $0.revoke(tokenID: id, until: 200) }) }
        #expect(!isRevoked { $0.revoke(tokenID: "t4", until: 200) })
        for id in ["mbe-1", "mbe-2"] {
            #expect(isRevoked { $0.revoke(backendID: id, issuedBefore: 100, until: 200) })
            #expect(!isRevoked({ $0.revoke(backendID: id, issuedBefore: 100, until: 200) }, at: 101))
        }
        #expect(!isRevoked { $0.revoke(backendID: "mbe-3", issuedBefore: 100, until: 200) })
    }

    @Test("an earlier revocation does not weaken a later one")
    func earlierRevocationDoesNotWeakenLaterOne() {
        let list = RevocationList()
        list.revoke(subject: "joe", issuedBefore: 100, until: 300)
        list.revoke(subject: "joe", issuedBefore: 50, until: 200)
        list.prune(now: 250)
        #expect(list.isRevoked(principal("joe")))
    }

    @Test("passwords are checked at each request and never revoked here")
    func passwordIsNotRevoked() {
        let list = RevocationList()
        list.revoke(subject: "joe", issuedBefore: 100, until: 200)
        #expect(!list.isRevoked(principal("joe", method: .basic, issuedAt: nil, tokenID: nil)))
    }

    @Test("pruning removes expired entries")
    func pruneForgetsWhatHasEnded() {
        let list = RevocationList()
        list.revoke(tokenID: "t1", until: 200)
        list.revoke(subject: "joe", issuedBefore: 100, until: 300)
        list.prune(now: 199)
        #expect(list.count == 2)
        list.prune(now: 200)
        #expect(list.count == 1)
        #expect(!list.isEmpty)
        list.prune(now: 300)
        #expect(list.isEmpty)
    }

    @Test("every revocation changes the generation")
    func generationChangesWithEveryRevocation() {
        let list = RevocationList()
        var seen: Set<UInt64> = [list.generation]
        list.revoke(tokenID: "t1", until: 200)
        seen.insert(list.generation)
        list.revoke(subject: "joe", issuedBefore: 1, until: 2)
        seen.insert(list.generation)
        list.revoke(backendID: "b", issuedBefore: 1, until: 2)
        seen.insert(list.generation)
        #expect(seen.count == 4)
    }

    @Test("an issuer's tokens are revoked by issue date")
    func issuerIsRevokedByIssueDate() {
        let list = RevocationList()
        list.revoke(issuer: "local", issuedBefore: 100, until: 200)
        #expect(list.isRevoked(principal("joe", issuedAt: 100)))
        #expect(list.isRevoked(principal("ann", issuedAt: nil)))
        #expect(!list.isRevoked(principal("joe", issuedAt: 101)))
        #expect(!list.isRevoked(tokenID: "t1", subject: "joe", backendID: "mbe-1", issuer: "partner", issuedAt: 1))
        #expect(!list.isRevoked(principal("joe", method: .basic)))
        list.prune(now: 200)
        #expect(list.isEmpty)
    }

    @Test("a known entry does not change the generation")
    func whatIsKnownDisturbsNoCache() {
        let list = RevocationList()
        list.revoke(tokenID: "t1", until: 200)
        list.revoke(subject: "joe", issuedBefore: 100, until: 200)
        let generation = list.generation
        list.revoke(tokenID: "t1", until: 200)
        list.revoke(tokenID: "t1", until: 150)
        list.revoke(subject: "joe", issuedBefore: 90, until: 200)
        #expect(list.generation == generation)
        list.revoke(subject: "joe", issuedBefore: 101, until: 150)
        #expect(list.generation == generation + 1)
        list.revoke(tokenID: "t1", until: 201)
        #expect(list.generation == generation + 2)
        list.prune(now: 199)
        #expect(list.isRevoked(principal("joe", issuedAt: 101, tokenID: "t2")))
    }

    @Test("blindness does not change the generation")
    func blindnessIsNoRevocation() {
        let list = RevocationList()
        list.revoke(tokenID: "t1", until: 200)
        let reading = list.reading
        list.setBlind(true)
        #expect(list.reading.isBlind && list.reading.generation == reading.generation)
        list.revoke(tokenID: "t2", until: 200)
        #expect(list.reading.isBlind && list.generation == reading.generation + 1)
        list.setBlind(true)
        list.setBlind(false)
        list.setBlind(false)
        #expect(!list.reading.isBlind && list.generation == reading.generation + 1)
    }

    @Test("a comparison marks what it confirms, and what is revoked meanwhile")
    func comparison() {
        let list = RevocationList()
        for id in ["a", "b", "c", "d"] { list.revoke(tokenID: id, until: 200) }
        #expect(list.unconfirmed.isEmpty, "nothing is compared")
        list.beginComparison()
        #expect(Set(list.unconfirmed.map(\.id)) == ["a", "b", "c", "d"])
        let generation = list.generation
        #expect(!list.revoke(tokenID: "a", until: 200), "no news")
        #expect(!list.revoke(tokenID: "b", until: 199), "the store would forget it too early")
        #expect(list.generation == generation)
        #expect(list.revoke(tokenID: "c", until: 300))
        #expect(list.revoke(tokenID: "e", until: 200))
        #expect(Set(list.unconfirmed.map(\.id)) == ["b", "d"])
        #expect(["a", "c", "e", "unknown"].allSatisfy { list.isConfirmed(tokenID: $0) })
        #expect(!list.isConfirmed(tokenID: "b"))
        list.prune(now: 200)
        #expect(list.unconfirmed.isEmpty && list.count == 1)
        list.beginComparison()
        #expect(list.unconfirmed.map(\.id) == ["c"])
        list.revoke(tokenID: "c", until: 300)
        #expect(list.unconfirmed.isEmpty)
    }
}
