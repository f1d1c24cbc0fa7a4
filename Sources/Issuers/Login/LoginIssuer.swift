import Bytes
import Crypto
import Identity
import Model
import Outbound

/// Obtains tokens from any API that gives one for an HTTP request (ISS-03). Module `http`: method, address, fields and
/// body are templates, and the configuration says where token and lifetime stand in the answer.
final class LoginIssuer: TokenIssuer {
    struct Settings: Sendable {
        var method = "POST"
        let url: LoginTemplate
        var headers: [(name: String, value: LoginTemplate)] = []
        var body = LoginBody.caller
        var secrets: [String: String] = [:]
        /// The value of `Authorization` by which the gateway shows who it is.
        var authorization: String?
        var answer = LoginAnswer()
        var transport = OutboundTransport()
        /// How often a call is made again that has failed; for those only that do no harm twice.
        var retries = 0
        /// Before the first of them; twice that before the next.
        var backOffMilliseconds: Int64 = 100
    }

    /// Pauses grow to this.
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

    /// One call: accounts are locked after a few wrong passwords.
    func verify(_ login: PresentedLogin, now: Int64) -> Effect<Result<PasswordVerdict, IssueFailure>> {
        // RFC 7617 section 2: to the server the name ends at the colon, and is somebody else's.
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

    /// Doubles, and is spread between half and whole, so that those who failed together do not come back together.
    private func pause(before retry: Int) -> Int64 {
        let whole = min(settings.backOffMilliseconds << Int64(min(retry, 16)), LoginIssuer.longestBackOff)
        return whole / 2 + Int64(SecureRandom.uint64() % UInt64(whole / 2 + 1))
    }

    /// Nil where a value cannot be part of an address or of a field.
    private func call(_ values: LoginValues) -> OutboundCall? {
        guard let url = try? WebURL(settings.url.filled(values, escape: FormEncoding.encode)) else { return nil }
        var headers = [(name: "Accept", value: "application/json")]
        if let type = settings.body.contentType { headers.append((name: "Content-Type", value: type)) }
        if let authorization = settings.authorization { headers.append((name: "Authorization", value: authorization)) }
        for header in settings.headers {
            // A field of the configuration takes the place of ours.
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

    /// What would end a line, or is no ASCII, is percent-encoded, as in the fields that upstreams get (GW-09).
    private static func fieldText(_ text: String) -> String {
        let value = FieldValue.encode(text)
        if value.allSatisfy({ $0 < 0x80 }) { return String(decoding: value, as: UTF8.self) }
        return FormEncoding.encode(text)
    }
}

extension LoginIssuer.Settings {
    var places: [LoginTemplate.Place] { url.places + headers.flatMap(\.value.places) + body.places }
}
