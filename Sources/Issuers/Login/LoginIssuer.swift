import Bytes
import Crypto
import Identity
import Model
import Outbound

/// Obtains tokens from any API that returns one for an HTTP request (ISS-03). Module `http`: method, URL, fields and
/// body are templates, and the configuration locates token and lifetime in the answer.
final class LoginIssuer: TokenIssuer {
    struct Settings: Sendable {
        var method = "POST"
        let url: LoginTemplate
        var headers: [(name: String, value: LoginTemplate)] = []
        var body = LoginBody.caller
        var secrets: [String: String] = [:]
        /// Value of `Authorization` with which the gateway authenticates.
        var authorization: String?
        var answer = LoginAnswer()
        var transport = OutboundTransport()
        /// Number of retries of a failed call; only for idempotent calls.
        var retries = 0
        /// Pause before the first retry; doubled for each further one.
        var backOffMilliseconds: Int64 = 100
    }

    /// Upper bound of the pause.
    private static let longestBackOff: Int64 = 5000

    let kind = "http"
    let configurationID: String
    let dependsOnCredential: Bool
    let dependsOnCaller: Bool
    private let settings: Settings
    private let caller: any OutboundCaller

    init(_ settings: Settings, configurationID: String, dependsOnCaller: Bool = true, caller: any OutboundCaller) {
        self.settings = settings
        self.configurationID = configurationID
        self.caller = caller
        self.dependsOnCaller = dependsOnCaller
        dependsOnCredential = settings.places.contains(.credential)
    }

    func issue(_ request: IssueRequest, now: Int64) -> Effect<Result<IssuedToken, IssueFailure>> {
        if dependsOnCredential, request.credential.isEmpty { return .done(.failure(.credentialMissing)) }
        guard !verifiesPasswords else {
            return .done(.failure(.misconfigured.because("the issuer verifies passwords and gives no tokens")))
        }
        guard let call = call(LoginValues(origin: .caller(request), secrets: settings.secrets)) else {
            return .done(.failure(.refused.because("the caller does not fit into an address or a field")))
        }
        return attempt(call, 0, now: now)
    }

    var verifiesPasswords: Bool { settings.places.contains(where: \.isPassword) }

    /// A single call: servers lock accounts after a few wrong passwords.
    func verify(_ login: PresentedLogin, now: Int64) -> Effect<Result<PasswordVerdict, IssueFailure>> {
        // RFC 7617 section 2: the server would end the name at the colon, which makes it another user's.
        guard !login.username.utf8.contains(UInt8(ascii: ":")),
            let call = call(LoginValues(origin: .login(login), secrets: settings.secrets))
        else { return .done(.success(.wrong)) }
        return .answer(of: { [caller] in caller.perform(call, then: $0) }) { [answer = settings.answer] result in
            .done(answer.verdict(result, now: now))
        }
    }

    private func attempt(
        _ call: OutboundCall, _ number: Int, now: Int64
    ) -> Effect<Result<IssuedToken, IssueFailure>> {
        .answer(of: { [caller] in caller.perform(call, then: $0) }) { [self] result in
            let answer = settings.answer.read(result, now: now)
            guard case .failure(let failure) = answer, failure.kind == .unavailable, failure.requestedPause == nil,
                number < settings.retries
            else { return .done(answer) }
            var next = call
            next.delayMilliseconds = pause(before: number)
            return attempt(next, number + 1, now: now)
        }
    }

    /// Doubles, with jitter between half and full, so that calls that failed together are not retried together.
    private func pause(before retry: Int) -> Int64 {
        let whole = min(settings.backOffMilliseconds << Int64(min(retry, 16)), LoginIssuer.longestBackOff)
        return whole / 2 + Int64(SecureRandom.uint64() % UInt64(whole / 2 + 1))
    }

    /// Nil if a value cannot be part of a URL or header field.
    private func call(_ values: LoginValues) -> OutboundCall? {
        guard let url = try? WebURL(settings.url.filled(values, escape: FormEncoding.encode)) else { return nil }
        var headers = [(name: "Accept", value: "application/json")]
        if let type = settings.body.contentType { headers.append((name: "Content-Type", value: type)) }
        if let authorization = settings.authorization { headers.append((name: "Authorization", value: authorization)) }
        for header in settings.headers {
            // A configured field replaces the default one.
            headers.removeAll { $0.name.lowercased() == header.name.lowercased() }
            headers.append((name: header.name, value: header.value.filled(values, escape: LoginIssuer.fieldText)))
        }
        let transport = settings.transport
        var call = OutboundCall(
            method: settings.method, url: url, headers: headers, body: settings.body.bytes(values), tls: transport.tls,
            connectTimeoutMilliseconds: transport.connectTimeoutMilliseconds,
            readTimeoutMilliseconds: transport.readTimeoutMilliseconds, maximumBytes: 1 << 18)
        call.mayRepeat = settings.retries > 0
        return call
    }

    /// Line breaks and non-ASCII characters are percent-encoded, as in the fields for upstreams (GW-09).
    private static func fieldText(_ text: String) -> String {
        let value = FieldValue.encode(text)
        if value.allSatisfy({ $0 < 0x80 }) { return String(decoding: value, as: UTF8.self) }
        return FormEncoding.encode(text)
    }
}

extension LoginIssuer.Settings {
    var places: [LoginTemplate.Place] { url.places + headers.flatMap(\.value.places) + body.places }
}
