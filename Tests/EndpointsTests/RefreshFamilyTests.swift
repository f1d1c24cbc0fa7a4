import Endpoints
import Identity
import Model
import OAuthServer
import Synchronization
import TestSupport
import Testing
import TokenStorage

/// Access tokens and the login that they belong to: one entry of the deny list ends them all.
@Suite struct RefreshFamilyTests {
    /// The deny list of the store, which the process follows.
    private func denied(_ standards: Standards) -> [DenyEntry] {
        let held = Mutex<[DenyEntry]>([])
        standards.store.perform(.changes(after: 0, limit: 1000), now: Service.now) { result in
            guard case .success(.changes(let changes, _)) = result else { return }
            held.withLock { $0 = changes.map(\.entry) }
        }
        let entries = held.withLock { $0 }
        for entry in entries { standards.revocations.apply(entry) }
        return entries
    }

    private func isLive(_ response: EndpointResponse, _ standards: Standards, at now: Int64 = Service.now) -> Bool {
        standards.introspect(response.accessToken, at: now).isActive == true
    }

    /// A login and its refreshes.
    private func logins(_ standards: Standards, refreshes: Int) throws -> [EndpointResponse] {
        var all = [standards.login()]
        for turn in 1...refreshes {
            all.append(standards.refresh(all.last?.refreshToken, at: Service.now + Int64(turn)))
        }
        for response in all { try #require(response.status == 200) }
        return all
    }

    @Test("a refresh adds no entry, and earlier access tokens live on")
    func refreshesAddNothing() throws {
        let standards = Standards()
        let all = try logins(standards, refreshes: 60)
        #expect(denied(standards).isEmpty)
        #expect(all.allSatisfy { isLive($0, standards, at: Service.now + 60) })
        let ids = try all.enumerated().map { try $1.claims(at: Service.now + Int64($0)).tokenID }
        #expect(Set(ids).count == all.count && Set(ids.map { TokenFamily.id(of: $0) }).count == 1)
        let other = try standards.login().claims().tokenID
        #expect(TokenFamily.id(of: other) != nil && TokenFamily.id(of: other) != TokenFamily.id(of: ids[0]))
    }

    @Test(
        "revocation, reuse and removal of the record end all tokens of the login by one entry",
        arguments: ["revocation", "revocation of an exchanged token", "reuse", "removal"])
    func ends(_ end: String) throws {
        let standards = Standards()
        let all = try logins(standards, refreshes: 4)
        let others = try logins(standards, refreshes: 1)
        switch end {
        case "revocation": #expect(standards.revoke(all[4].refreshToken).status == 200)
        case "revocation of an exchanged token": #expect(standards.revoke(all[1].refreshToken).status == 200)
        case "reuse": #expect(standards.refresh(all[0].refreshToken).reasonText == "refresh_token_reused")
        default:
            standards.store.perform(
                .revoke(.subject(application: "mbe-inv-1", subject: "joe")), now: Service.now
            ) { _ in }
        }
        let isAll = end == "removal"
        #expect(denied(standards).count == (isAll ? 2 : 1))
        #expect(all.allSatisfy { !isLive($0, standards) })
        #expect(others.allSatisfy { isLive($0, standards) != isAll })
        #expect(standards.refresh(all[4].refreshToken).error == "invalid_grant")
        #expect((standards.refresh(others[1].refreshToken).status == 200) != isAll)
    }

    @Test("the entry lives as long as the longest of the tokens")
    func longestToken() throws {
        let store = MemoryTokenStore()
        func standards(_ seconds: Int64) -> Standards {
            Standards(store: store) { $0.clients = Standards.clients { $0.grants.accessTokenSeconds = seconds } }
        }
        let first = standards(900).login()
        let later = standards(60)
        let second = later.refresh(first.refreshToken, at: Service.now + 10)
        // The last token has expired, the first one has not.
        #expect(later.revoke(second.refreshToken, at: Service.now + 100).status == 200)
        #expect(denied(later).map(\.until) == [Service.now + 900])
        #expect(!isLive(first, later, at: Service.now + 100))
    }

    @Test("an exchanged token ends with the login of the token that it was exchanged for, also an earlier one")
    func exchanged() throws {
        let standards = Standards()
        let all = try logins(standards, refreshes: 2)
        func exchange(_ token: String?) -> EndpointResponse {
            let type = "urn:ietf:params:oauth:token-type:access_token"
            return standards.grant(
                "grant_type=urn:ietf:params:oauth:grant-type:token-exchange&subject_token=\(token ?? "")"
                    + "&subject_token_type=\(type)")
        }
        let first = exchange(all[0].accessToken)
        let second = exchange(first.accessToken)
        #expect(isLive(first, standards) && isLive(second, standards))
        #expect(standards.revoke(all[2].refreshToken).status == 200)
        #expect(!isLive(first, standards) && !isLive(second, standards))
    }

    @Test(
        "RFC 7009 section 2.1: revoking one access token ends its login, also after the refresh token",
        arguments: [0, 2_000])
    func oneToken(_ later: Int64) throws {
        let standards = Standards()
        let all = try logins(standards, refreshes: 2)
        let now = Service.now + later
        #expect(standards.revoke(all[1].accessToken, at: now).status == 200)
        #expect(all.map { isLive($0, standards) } == [false, false, false])
        #expect(standards.refresh(all[2].refreshToken, at: now).status == 400)
        #expect(denied(standards).count == 1)
    }

    @Test("with revokeOnRefresh each refresh ends the access token before it")
    func revokeOnRefresh() throws {
        let standards = Standards { $0.terms.revokesOnRefresh = true }
        let all = try logins(standards, refreshes: 3)
        #expect(denied(standards).count == 3)
        #expect(all.map { isLive($0, standards) } == [false, false, false, true])
        #expect(try TokenFamily.id(of: all[3].claims(at: Service.now + 3).tokenID) == nil)
    }

    @Test("a login goes on where the setting changes, as it does beside gateways of an earlier version")
    func changedSetting() throws {
        let store = MemoryTokenStore()
        let revocations = RevocationList()
        func standards(_ revokes: Bool) -> Standards {
            Standards(store: store) {
                $0.terms.revokesOnRefresh = revokes
                $0.revocations = revocations
            }
        }
        // An earlier version keeps nothing about families, like one that revokes at each refresh.
        let (families, single) = (standards(false), standards(true))
        let first = families.login()
        let second = single.refresh(first.refreshToken)
        #expect(!isLive(first, families) && isLive(second, families))
        let third = families.refresh(second.refreshToken)
        #expect(!isLive(second, families) && isLive(third, families))
        let fourth = families.refresh(third.refreshToken)
        #expect(isLive(third, families) && isLive(fourth, families))
        #expect(denied(families).count == 2)
        #expect(families.refresh(third.refreshToken).reasonText == "refresh_token_reused")
        #expect(denied(families).count == 3 && !isLive(third, families) && !isLive(fourth, families))
    }
}
