import Bytes
import ClientStore
import Testing

@testable import PortcullisClient

/// OMS-11 to OMS-13: logins without the server.
@Suite struct OfflineTests {
    /// S30 to S40.
    struct Vector: Sendable, CustomTestStringConvertible {
        let id: String
        let mode: ConnectivityMode
        let isAllowed: Bool?
        let isReachable: Bool
        let isKept: Bool
        let failures: Int
        let maximum: Int?
        let result: String
        var testDescription: String { id }

        static let all: [Vector] = (Fixture.json("session/session.json")["offline"]?.array ?? []).compactMap { node in
            guard let id = node["id"]?.string,
                let mode = ConnectivityMode(rawValue: node["mode"]?.string?.lowercased() ?? ""),
                let isReachable = node["serverReachable"]?.bool, let isKept = node["cached"]?.bool,
                let result = node["result"]?.string
            else { return nil }
            return Vector(
                id: id, mode: mode, isAllowed: node["allowed"]?.bool, isReachable: isReachable, isKept: isKept,
                failures: Int(node["failures"]?.integer ?? 0), maximum: node["max"]?.integer.map { Int($0) },
                result: result)
        }
    }

    @Test func vectorsAreThere() { #expect(Vector.all.map(\.id) == (30...40).map { "S\($0)" }) }

    @Test("the place of a login", arguments: Vector.all)
    func place(_ vector: Vector) {
        let place = LoginLocation(
            vector.mode, isAllowed: vector.isAllowed, isKept: vector.isKept, failures: vector.failures,
            maximum: vector.maximum)
        let result =
            switch place {
            case .server: vector.isReachable ? "server" : "fail"
            case .serverThenLocal: vector.isReachable ? "server" : "local"
            case .local: "local"
            case .wipeThenServer: "wipe-then-server"
            case .refused: "fail"
            }
        #expect(result == vector.result)
    }

    /// The same through a client: what the server was asked, and what came of it.
    @Test("a client does as the vectors say", arguments: Vector.all)
    func client(_ vector: Vector) async throws {
        let fixture = try Fixture()
        var profile = Fixture.profile
        profile.settings.offlineAuthentication = vector.isKept ? true : vector.isAllowed
        profile.settings.maxLoginAttempts = vector.maximum ?? 3
        if vector.isKept { _ = try await fixture.loggedIn(profile) }
        profile.settings.offlineAuthentication = vector.isAllowed
        let failures = vector.failures
        _ = try fixture.store.changeSession { $0.verifier?.failures = failures }
        fixture.gateway.change { $0.isReachable = vector.isReachable }
        let client = fixture.client(profile)
        let result: String
        do throws(ClientError) {
            let context = try await client.authenticate(
                user: "joe", password: ScriptedGateway.password, mode: vector.mode)
            #expect(client.authenticationContext == context)
            result = context.isOffline ? "local" : vector.failures > 0 ? "wipe-then-server" : "server"
        } catch {
            result = "fail"
        }
        #expect(result == vector.result)
        // OMS-12: without the server means that it isn't even tried.
        let isAsked = fixture.gateway.paths.contains("/oic_rest/rest/mobile/authenticate")
        if result.hasSuffix("server") { #expect(isAsked) } else if vector.mode == .offline { #expect(!isAsked) }
    }

    private func offline(_ fixture: Fixture) async throws -> (GatewayClient, ClientProfile) {
        fixture.gateway.change {
            $0.profileMembers = #","securityPolicy":{"offlineAuthentication":true,"maxLoginAttempts":2}"#
        }
        _ = try await fixture.loggedIn()
        fixture.gateway.change { $0.isReachable = false }
        return (fixture.client(), Fixture.profile)
    }

    @Test("OMS-22: the server's word counts, and a wrong password is not the server's outage")
    func wrongPassword() async throws {
        let fixture = try Fixture()
        let (client, _) = try await offline(fixture)
        await #expect(throws: ClientError.self) {
            try await client.authenticate(user: "joe", password: "wrong", mode: .auto)
        }
        await #expect(throws: ClientError.self) {
            try await client.authenticate(user: "ann", password: ScriptedGateway.password, mode: .auto)
        }
        let context = try await client.authenticate(user: "joe", password: ScriptedGateway.password, mode: .auto)
        #expect(context.isOffline)
        #expect(context.user == "joe")
        // One that was reached says no: then no other server is asked.
        fixture.gateway.change { $0.isReachable = true }
        let error = await #expect(throws: ClientError.self) {
            try await client.authenticate(user: "joe", password: "wrong", mode: .auto)
        }
        #expect(error?.code == .invalidCredentials)
    }

    @Test("OMS-13: after too many failures the verifier is gone, and the server is asked")
    func wipe() async throws {
        let fixture = try Fixture()
        let (client, _) = try await offline(fixture)
        for _ in 0..<2 {
            let error = await #expect(throws: ClientError.self) {
                try await client.authenticate(user: "joe", password: "wrong", mode: .offline)
            }
            #expect(error?.code == .invalidCredentials)
        }
        fixture.gateway.forget()
        await #expect(throws: ClientError.self) {
            try await client.authenticate(user: "joe", password: "wrong", mode: .offline)
        }
        #expect(fixture.gateway.paths == ["/oic_rest/rest/mobile/authenticate"])
        #expect(try fixture.store.session().verifier == nil)
        let error = await #expect(throws: ClientError.self) {
            try await client.authenticate(user: "joe", password: ScriptedGateway.password, mode: .offline)
        }
        #expect(error?.code == .offlineUnknown)
    }

    @Test(
        "CRYPTO-02: the verifier has the scheme that the server tells, unless that can be read back",
        arguments: [("SaltedSHA-256", "{SaltedSHA-256}"), ("PlainText", "{scrypt}"), ("AES", "{scrypt}")])
    func scheme(_ told: String, _ expected: String) async throws {
        let fixture = try Fixture()
        fixture.gateway.change {
            $0.profileMembers =
                #","securityPolicy":{"offlineAuthentication":true},"mobileCustomAttributes":{"CryptoScheme":"\#(told)"}"#
        }
        _ = try await fixture.loggedIn()
        #expect(try fixture.store.session().verifier?.stored.hasPrefix(expected) == true)
    }

    @Test("without leave nothing is kept")
    func notAllowed() async throws {
        let fixture = try Fixture()
        _ = try await fixture.loggedIn()
        #expect(try fixture.store.session().verifier == nil)
    }
}
