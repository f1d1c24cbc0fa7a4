import Endpoints
import Identity
import MobileSocial
import Model
import TestSupport
import Testing
import TokenStorage

/// How much one user has in a service domain (`ServiceDomainLimits`).
@Suite struct DomainLimitTests {
    private func mobile(_ change: @escaping (inout ServiceDomainLimits) -> Void) -> Mobile {
        Mobile {
            change(&$0.limits)
            $0.applications[0].idleTimeout = 10_000
        }
    }

    private func register(_ mobile: Mobile, _ device: String, at seconds: Int64) -> EndpointResponse {
        mobile.post(
            Mobile.path + "/register",
            Mobile.login("CLIENTREGHANDLE", device: #"{"hardwareIds": {"id": "\#(device)"}}"#), at: seconds)
    }

    private func handle(_ mobile: Mobile, _ device: String, at seconds: Int64) throws -> String {
        try mobile.value(register(mobile, device, at: seconds))
    }

    private func isAlive(_ token: String, _ mobile: Mobile, at seconds: Int64) -> Bool {
        mobile.get(
            Mobile.path + "/tokens/info",
            query: "X-Idaas-Rest-Subject-Type=TOKEN&X-Idaas-Rest-Subject-Value=\(token)", domain: "MobileServiceDomain",
            at: seconds
        ).status == 200
    }

    @Test("beyond the limit of devices the oldest registration ends")
    func registrations() throws {
        let mobile = mobile { $0.registrations = 3 }
        let handles = try (0..<5).map { try handle(mobile, "phone \($0)", at: Int64($0)) }
        for (number, handle) in handles.enumerated() {
            #expect(mobile.authenticate(handle, at: 10).status == (number < 2 ? 401 : 200), "\(number)")
        }
        // Those of other users are not touched.
        let ann = try mobile.value(
            mobile.post(Mobile.path + "/register", Mobile.login("CLIENTREGHANDLE", user: "ann", password: "Welcome2")))
        #expect(mobile.authenticate(ann, user: "ann", password: "Welcome2").status == 200)
        #expect(mobile.authenticate(handles[2], at: 11).status == 200)
    }

    @Test("beyond the limit of sessions the least recently used one ends")
    func sessions() throws {
        let mobile = mobile { $0.sessions = 3 }
        let handles = try (0..<4).map { try handle(mobile, "phone \($0)", at: 0) }
        let tokens = try (0..<3).map { number in
            try mobile.value(mobile.authenticate(handles[number], at: Int64(number + 1)))
        }
        // The first is in use.
        #expect(mobile.access(tokens[0], handles[0], at: 10).status == 200)
        let last = try mobile.value(mobile.authenticate(handles[3], at: 20))
        #expect((tokens + [last]).map { isAlive($0, mobile, at: 21) } == [true, false, true, true])
    }

    @Test("the limit of sessions applies per device too")
    func sessionsOnADevice() throws {
        let mobile = mobile { $0.sessionsPerDevice = 2 }
        let (phone, tablet) = (try handle(mobile, "phone", at: 0), try handle(mobile, "tablet", at: 0))
        let elsewhere = try mobile.value(mobile.authenticate(tablet, at: 1))
        let tokens = try (0..<4).map { number in
            try mobile.value(
                mobile.authenticate(
                    phone, more: #","X-Idaas-Rest-Subject-Credential":"proof \#(number)""#, at: Int64(number + 2)))
        }
        #expect(tokens.map { isAlive($0, mobile, at: 10) } == [false, false, true, true])
        #expect(isAlive(elsewhere, mobile, at: 10))
    }

    /// How sessions end without their records' going.
    enum End: CaseIterable {
        case deviceWiped, deviceRemoved, idle
    }

    @Test(
        "OMS-09 OMS-16: sessions that ended with their device or timed out are not counted",
        arguments: End.allCases)
    func ended(_ end: End) async throws {
        let mobile = mobile { $0.sessions = 3 }
        let registrations = (0..<4).map { register(mobile, "phone \($0)", at: 0) }
        let handles = try registrations.map { try mobile.value($0) }
        let devices = try registrations.map { try #require($0.audit?.tokenID) }
        let living = try mobile.value(mobile.authenticate(handles[0], at: 1))
        let gone = try (1...2).map { try mobile.value(mobile.authenticate(handles[$0], at: Int64($0 + 1))) }
        var later: Int64 = 20
        switch end {
        case .deviceWiped:
            let register = DeviceRegister(store: mobile.store)
            for id in devices[1...2] {
                #expect(try register.wipe(id, domains: ["MobileServiceDomain"], now: Mobile.start).settled().get() == 1)
            }
        case .deviceRemoved:
            for id in devices[1...2] {
                _ = try await mobile.store.ask(.revoke(.id(id)), now: Mobile.start)
            }
        case .idle:
            later = 10_010
            #expect(mobile.access(living, handles[0], at: 5_000).status == 200)
        }
        let last = try mobile.value(mobile.authenticate(handles[3], at: later))
        #expect(([living] + gone + [last]).map { isAlive($0, mobile, at: later) } == [true, false, false, true])
        // With another one there are three that count, and none too much.
        let more = try mobile.value(
            mobile.authenticate(handles[3], more: #","X-Idaas-Rest-Subject-Credential":"proof""#, at: later))
        #expect([living, last, more].map { isAlive($0, mobile, at: later) } == [true, true, true])
    }

    @Test("OMS-17: sessions derived from an ended session are not counted")
    func parentEnded() throws {
        let mobile = mobile { $0.sessionsPerDevice = 3 }
        let phone = try handle(mobile, "phone", at: 0)
        func login(_ proof: String, at seconds: Int64) throws -> String {
            try mobile.value(
                mobile.authenticate(phone, more: #","X-Idaas-Rest-Subject-Credential":"\#(proof)""#, at: seconds))
        }
        let living = try login("1", at: 1)
        let parent = try login("2", at: 2)
        let exchange = """
            {"X-Idaas-Rest-Subject-Type":"TOKEN","X-Idaas-Rest-Subject-Value":"\(parent)",
             "X-Idaas-Rest-Subject-Credential":"2","X-Idaas-Rest-New-Token-Type-To-Create":"USERTOKEN::OAMUT"}
            """
        let child = try mobile.value(
            mobile.post(Mobile.path + "/authenticate", exchange, proof: "DemoApp:\(phone)", at: 3))
        #expect(mobile.post(Mobile.path + "/logout", #"{"userToken":"\#(parent)"}"#, at: 4).status == 200)
        let (next, last) = (try login("3", at: 5), try login("4", at: 6))
        #expect(
            [living, parent, child, next, last].map { isAlive($0, mobile, at: 7) } == [true, false, false, true, true])
    }
}
