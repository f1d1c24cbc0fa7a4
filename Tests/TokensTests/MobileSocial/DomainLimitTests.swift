import Identity
import TestSupport
import Testing
import Tokens

/// How much one user has in a service domain (`ServiceDomain.Limits`).
@Suite struct DomainLimitTests {
    private func mobile(_ change: @escaping (inout ServiceDomain.Limits) -> Void) -> Mobile {
        Mobile {
            change(&$0.limits)
            $0.applications[0].idleTimeout = 10_000
        }
    }

    private func handle(_ mobile: Mobile, _ device: String, at seconds: Int64) throws -> String {
        try mobile.value(
            mobile.post(
                Mobile.path + "/register",
                Mobile.login("CLIENTREGHANDLE", device: #"{"hardwareIds": {"id": "\#(device)"}}"#), at: seconds))
    }

    private func isAlive(_ token: String, _ mobile: Mobile, at seconds: Int64) -> Bool {
        mobile.get(
            Mobile.path + "/tokens/info",
            query: "X-Idaas-Rest-Subject-Type=TOKEN&X-Idaas-Rest-Subject-Value=\(token)", domain: "MobileServiceDomain",
            at: seconds
        ).status == 200
    }

    @Test("with one device more than allowed the oldest is no device any more")
    func registrations() throws {
        let mobile = mobile { $0.registrations = 3 }
        let handles = try (0..<5).map { try handle(mobile, "phone \($0)", at: Int64($0)) }
        for (number, handle) in handles.enumerated() {
            #expect(mobile.authenticate(handle, at: 10).status == (number < 2 ? 401 : 200), "\(number)")
        }
        // Somebody else's are not touched.
        let ann = try mobile.value(
            mobile.post(Mobile.path + "/register", Mobile.login("CLIENTREGHANDLE", user: "ann", password: "Welcome2")))
        #expect(mobile.authenticate(ann, user: "ann", password: "Welcome2").status == 200)
        #expect(mobile.authenticate(handles[2], at: 11).status == 200)
    }

    @Test("with one session more than allowed that one ends which was used the longest time ago")
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

    @Test("and the same on each device")
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
}
