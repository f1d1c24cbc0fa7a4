import Glibc
import Testing

/// The real gateway with the fixture's configuration in front of a scripted upstream.
final class Fixture: Sendable {
    let upstream: StubUpstream
    let gateway: GatewayProcess

    /// - Parameters:
    ///   - files: further files of the configuration directory.
    ///   - change: what the test needs different.
    init(
        files: [String: String] = [:], environment: [String: String] = [:],
        _ change: (inout FixtureSettings) -> Void = { _ in }
    ) throws {
        upstream = try StubUpstream()
        var settings = FixtureSettings(upstream: upstream.url)
        change(&settings)
        gateway = try GatewayProcess(
            files.merging(["gateway.json": settings.text]) { $1 }, environment: environment)
    }

    deinit { upstream.stop() }

    // MARK: Requests

    func request(
        _ method: String = "GET", _ target: String, _ fields: [Field] = [], body: String? = nil
    ) throws -> Response {
        try gateway.request(method, target, fields, body: body)
    }

    func connect() throws -> RawConnection { try gateway.connect() }

    /// The request that the upstream got last for a path.
    func lastRequest(_ path: String) throws -> RecordedRequest {
        try #require(upstream.requests(path).last, "the upstream saw no request for \(path)")
    }

    // MARK: Tokens

    /// The reply of the token endpoint.
    func grant(_ form: String, client: String = "inv-client:inv-secret") throws -> Response {
        try request(
            "POST", "/oauth2/token", [.basic(client), "Content-Type: application/x-www-form-urlencoded"], body: form)
    }

    /// A user's token by the password grant.
    func token(_ user: String, client: String = "inv-client:inv-secret") throws -> String {
        let password = ["joe": "Welcome1", "ann": "Welcome2", "bob": "Welcome3"][user] ?? ""
        let response = try grant("grant_type=password&username=\(user)&password=\(password)", client: client)
        return try #require(JSONText(response.text)["access_token"].string, "\(response.status) \(response.text)")
    }

    func clientToken(_ client: String = "inv-client:inv-secret") throws -> String {
        let response = try grant("grant_type=client_credentials", client: client)
        return try #require(JSONText(response.text)["access_token"].string, "\(response.status) \(response.text)")
    }

    /// A user's token as the command line makes it, without a login.
    func mint(_ user: String, _ arguments: String...) throws -> String {
        let result = try Program.run(
            GatewayProcess.binary,
            ["token", "--config", gateway.configuration.path, "--client", "inventory/1.0", "--user", user] + arguments)
        try #require(result.ending == .exit(0), "\(result.errors)")
        return result.output
    }

    // MARK: Administration

    /// Replaces the configuration and waits until the gateway has reported the outcome.
    @discardableResult
    func reload(expecting event: String = "reloaded", _ change: (inout FixtureSettings) -> Void) throws -> JSONText {
        var settings = FixtureSettings(upstream: upstream.url)
        change(&settings)
        try gateway.configuration.write("gateway.json", settings.text)
        let before = gateway.events(event).count
        gateway.program.signal(SIGHUP)
        return try #require(gateway.waitForEvent(event, skipping: before), "\(gateway.everythingWritten)")
    }

    func admin(_ method: String, _ target: String, body: String? = nil) throws -> Response {
        try gateway.request(method, target, [.bearer("admin-secret")], body: body, listener: "admin")
    }

    /// How many tokens issuer modules have made so far.
    func issuerCalls() throws -> Double {
        try #require(gateway.metrics().sum("portcullis_issuer_calls_total", ["outcome": "issued"]))
    }
}

extension Field {
    static func bearer(_ token: String) -> Field { Field(name: "Authorization", value: "Bearer \(token)") }

    /// `user:password` as Basic credentials.
    static func basic(_ pair: String) -> Field {
        Field(name: "Authorization", value: "Basic \(JSONWebToken.base64(pair))")
    }

    static func origin(_ origin: String) -> Field { Field(name: "Origin", value: origin) }
}

extension Field: ExpressibleByStringInterpolation {}
