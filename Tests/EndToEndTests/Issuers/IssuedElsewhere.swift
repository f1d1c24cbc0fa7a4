import Foundation

/// A gateway whose upstream's tokens come from a stub of an authorization server.
struct IssuedElsewhere {
    let fixture: Fixture
    let server: StubUpstream

    /// - Parameters:
    ///   - members: further members of the issuer, each with a comma in front.
    ///   - answer: what the token endpoint does with a request and the number of those before.
    init(
        _ members: String = "", grant: String = "client_credentials",
        _ change: @escaping (inout FixtureSettings) -> Void = { _ in },
        _ answer: @escaping @Sendable (RecordedRequest, Int) -> [StubUpstream.Step]
    ) throws {
        let server = try StubUpstream()
        let count = Monitor(0)
        server.on("/token") { request in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            return answer(request, number)
        }
        self.server = server
        fixture = try Fixture { settings in
            settings["issuers"] = """
                {"local": {"module": "oauth2", "tokenEndpoint": "\(server.url)/token", "allowHttp": true,
                           "grant": "\(grant)", "clientId": "gateway", "clientSecret": "secret"\(members)}}
                """
            change(&settings)
        }
    }

    var calls: [RecordedRequest] { server.requests("/token") }

    func form(_ index: Int) -> String { String(decoding: calls[index].body, as: UTF8.self) }

    /// How often the gateway counted an outcome of the issuer.
    func count(_ outcome: String) throws -> Double {
        try fixture.gateway.metrics().sum(
            "portcullis_issuer_requests_total", ["issuer": "local", "outcome": outcome]) ?? -1
    }

    /// The token that the upstream got last.
    func injected(_ path: String = "/inventory/me") throws -> String? {
        try fixture.lastRequest(path).only("Authorization")
    }

    static func token(_ value: String, seconds: Int = 3600, _ more: String = "") -> [StubUpstream.Step] {
        [
            .reply(
                "200 OK", ["Content-Type: application/json"],
                body: #"{"access_token": "\#(value)", "token_type": "Bearer", "expires_in": \#(seconds)\#(more)}"#)
        ]
    }
}
