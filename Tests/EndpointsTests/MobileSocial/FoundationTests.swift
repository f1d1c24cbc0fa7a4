import Dispatch
import Endpoints
import Identity
import MobileSocial
import Model
import Synchronization
import TestSupport
import Testing
import TokenStorage

/// What sessions and their access tokens stand on: the device's registration, and the session that one was exchanged for.
@Suite struct FoundationTests {
    /// A store whose answers come before `perform` returns, from any store behind it.
    private final class WaitingStore: TokenStore {
        private let store: any TokenStore

        init(_ store: any TokenStore) { self.store = store }

        var kind: StaticString { store.kind }
        var state: StoreState { store.state }

        func perform(
            _ operation: StoreOperation, now: Int64,
            then: @escaping @Sendable (Result<StoreAnswer, StoreFailure>) -> Void
        ) {
            let answer = Mutex<Result<StoreAnswer, StoreFailure>?>(nil)
            let done = DispatchSemaphore(value: 0)
            withExtendedLifetime(answer) {
                store.perform(operation, now: now) { result in
                    answer.withLock { $0 = result }
                    done.signal()
                }
                done.wait()
            }
            then(answer.withLock { $0 } ?? .failure(.unavailable))
        }
    }

    private static let plain = "/oic_rest/rest/oamauthentication"

    private func handle(_ mobile: Mobile, _ body: String, domain: String = "MobileServiceDomain") throws -> String {
        try mobile.value(mobile.post("/oic_rest/rest/\(domain)/register", body, domain: nil))
    }

    private func ids(_ mobile: Mobile) async throws -> [String] {
        guard
            case .records(let records) = try await mobile.store.ask(
                .list(application: nil, subject: nil, limit: .max), now: Mobile.start)
        else { return [] }
        return records.filter { $0.kind == .registration }.map(\.id)
    }

    private func wipe(_ mobile: Mobile, _ id: String) throws -> Int {
        try DeviceRegister(store: mobile.store).wipe(id, domains: ["MobileServiceDomain"], now: Mobile.start)
            .settled().get()
    }

    @Test("MBE-06: an application ends with its backend, which another gateway has revoked, until that restores it")
    func revokedElsewhere() throws {
        let accounts = WithdrawnAccounts()
        accounts.use { ["digest of \($0)"] }
        let mobile = Mobile { $0.backends = Clients(Service.clients.clients, withdrawn: accounts) }
        let handle = try mobile.handle()
        let token = try mobile.value(mobile.authenticate(handle))
        #expect(mobile.access(token, handle).status == 200)
        let id = Service.clients.clients[0].id
        for isWithdrawn in [true, false] {
            let made = accounts.notice(.client(id: id), isWithdrawn: isWithdrawn, milliseconds: 1, until: .max)
            let (name, notice) = try #require(made)
            accounts.apply(notice, name: name)
            #expect((mobile.authenticate(handle).status == 200) != isWithdrawn)
            #expect((mobile.access(token, handle).status == 200) != isWithdrawn)
        }
    }

    @Test("OMS-15 CHAL-10: a session of a registered device needs its handle, in other domains too")
    func handleAsked() throws {
        let mobile = Mobile()
        let handle = try handle(mobile, Mobile.login("CLIENTREGHANDLE", app: nil), domain: "Default")
        func login(_ proof: String?) throws -> String {
            try mobile.value(
                mobile.post(
                    Self.plain + "/authenticate", Mobile.login("USERTOKEN", app: nil), domain: "Default", proof: proof))
        }
        func access(_ token: String, _ proof: String?) -> Int {
            mobile.post(Self.plain + "/access", Mobile.accessBody(token), domain: "Default", proof: proof).status
        }
        let token = try login("inventory:\(handle)")
        #expect(access(token, "inventory:\(handle)") == 200)
        #expect(access(token, nil) == 401, "a stolen user token")
        #expect(access(token, "inventory:shared") == 401)
        // oam-wire 3.5: a session without a device asks for none.
        let open = try login(nil)
        #expect(access(open, nil) == 200 && access(open, "inventory:shared") == 200)
        #expect(access(open, "inventory:\(handle)") == 401)
    }

    @Test(
        "OMS-16: wiping a registration ends its sessions and tokens, for all processes",
        arguments: StoreUnderTest.allCases)
    func wiped(_ subject: StoreUnderTest) async throws {
        try await subject.with { place in
            let store = WaitingStore(try place.open())
            let (here, there) = (Mobile(store: store), Mobile(store: store))
            for isRemoved in [false, true] {
                let handle = try here.handle(device: #"{"hardwareIds":{"udid":"\#(isRemoved)"}}"#)
                let known = try await ids(here)
                let user = try here.value(here.authenticate(handle))
                let claims = try here.access(user, handle).claims()
                let id = try #require(claims.origins.first?.tokenID)
                #expect(known.contains(id))
                if isRemoved {
                    _ = try await store.ask(.revoke(.id(id)), now: Mobile.start)
                } else {
                    #expect(try wipe(here, id) == 1)
                }
                let denied = try #require(try await store.denied().first { $0.name == id })
                #expect(denied.until > claims.expiresAt)
                // The other process has not heard of the deny list yet.
                let target = Mobile.path + "/tokens/info"
                for mobile in [here, there] {
                    let info = mobile.get(
                        target, query: "X-Idaas-Rest-Subject-Value=\(user)&X-Idaas-Rest-Subject-Type=TOKEN",
                        domain: "MobileServiceDomain")
                    #expect(info.status == 401)
                    #expect(mobile.access(user, handle).status == (isRemoved ? 401 : 403))
                }
                there.revocations.apply(denied)
                #expect(
                    there.revocations.isRevoked(
                        tokenID: claims.tokenID, subject: "joe", backendID: claims.backendID, issuedAt: claims.issuedAt,
                        origins: claims.origins, session: claims.session))
            }
        }
    }

    @Test("OMS-16: handles of an anonymous device are wiped together; other devices are unaffected")
    func namelessDevice() async throws {
        let mobile = Mobile()
        let handle = try mobile.handle()
        let id = try #require(try await ids(mobile).first)
        // The same device after it was set up anew, another application on it, and one that a session there registers.
        let (again, other) = (try mobile.handle(), try mobile.handle("OtherApp"))
        let user = try mobile.value(mobile.authenticate(handle))
        let named = try self.handle(
            mobile, #"{"userToken":"\#(user)","appName":"DemoApp","deviceProfile":{"hardwareIds":{"udid":"1"}}}"#)
        let same = try mobile.handle("OtherApp", device: #"{"hardwareIds":{"udid":"1"}}"#)
        let second = try mobile.handle(device: #"{"hardwareIds":{"udid":"2"}}"#)
        let anns = try mobile.value(
            mobile.post(Mobile.path + "/register", Mobile.login("CLIENTREGHANDLE", user: "ann", password: "Welcome2")))
        #expect(try wipe(mobile, id) == 5)
        for (app, handle, status) in [
            ("DemoApp", handle, 403), ("DemoApp", again, 403), ("OtherApp", other, 403), ("DemoApp", named, 403),
            ("OtherApp", same, 403), ("DemoApp", second, 200), ("DemoApp", anns, 200),
        ] {
            let login = Mobile.login("USERTOKEN", app: app)
            let response = mobile.post(Mobile.path + "/authenticate", login, proof: "\(app):\(handle)")
            #expect(response.status == status)
        }
    }

    @Test("OMS-17: a logout ends the exchanged token, however many sessions the user has")
    func manySessions() async throws {
        let mobile = Mobile()
        let target = "/oic_rest/rest/Default"
        func authenticate(_ body: String) throws -> String {
            try mobile.value(mobile.post(target + "/authenticate", body, domain: nil))
        }
        let jwt = try authenticate(Mobile.login("USERTOKEN::JWTUT", app: nil))
        let child = try authenticate(
            #"{"X-Idaas-Rest-Subject-Type":"TOKEN","X-Idaas-Rest-Subject-Value":"\#(jwt)","X-Idaas-Rest-New-Token-Type-To-Create":"USERTOKEN::OAMUT"}"#
        )
        func access() -> EndpointResponse {
            mobile.post(target + "/access", Mobile.accessBody(child), domain: nil)
        }
        let claims = try access().claims()
        for number in 0..<1200 {
            let later = TokenRecord(
                id: "\(number)", kind: .session, application: "mbe-inv-1", subject: "joe", tokenID: "\(number)",
                accessExpiresAt: Mobile.start + 5000, issuedAt: Mobile.start + 1)
            _ = try await mobile.store.ask(.insert(later), now: Mobile.start)
        }
        #expect(mobile.post(target + "/logout", #"{"userToken":"\#(jwt)"}"#, domain: nil).status == 200)
        #expect(access().status == 401)
        #expect(
            mobile.revocations.isRevoked(
                tokenID: claims.tokenID, subject: "joe", backendID: claims.backendID, issuedAt: claims.issuedAt,
                origins: claims.origins, session: claims.session))
    }

    @Test("OMS-15: an access token does not outlive its registration")
    func registrationEnds() throws {
        let mobile = Mobile()
        let handle = try mobile.handle()
        let year: Int64 = 31_536_000
        let user = try mobile.value(mobile.authenticate(handle, at: 10))
        #expect(
            try mobile.access(user, handle, at: year - 5).claims(at: Mobile.start + year - 5).expiresAt
                == Mobile.start + year)
        #expect(mobile.access(user, handle, at: year).status == 401)
    }
}
