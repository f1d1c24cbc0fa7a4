import Bytes
import Configuration
import Declaration
import Gateway
import Identity
import JOSE
import Model
import OAuthServer
import Policy
import Reactor

/// One run of `issuer test`.
struct IssuerTest {
    let reading: Assembly.Reading
    let client: Client?
    private let keySet: KeySet?

    init(_ arguments: Arguments, _ directory: String) throws(ExitStatus) {
        reading = try Assembly.read(directory, makesKeys: false)
        client = if let reference = arguments["--client"] { try IssuerTest.client(reference, reading) } else { nil }
        keySet = if let path = arguments["--jwks"] { try IssuerTest.keys(path) } else { nil }
    }

    func run(_ argument: String) throws(ExitStatus) {
        let token = try IssuerTest.token(argument)
        guard let sources = reading.snapshot.tokens.assertions else { throw .failed }
        // A JWT has two full stops; Base64 has none.
        guard token.contains(UInt8(ascii: ".")) else {
            if case .failure(.malformedPackage) = Result(catching: { () throws(SAMLRejection) in
                try PackedAssertion.unpack(token)
            }) {
                return try runOpaque(
                    token, "neither a JWT, which has two full stops, nor a packed SAML assertion, which is Base64")
            }
            return try runSAML(token, sources)
        }
        let received: ReceivedToken
        do throws(TokenRejection) {
            received = try ReceivedToken(token.span)
        } catch {
            // Only routes and logins take encrypted tokens.
            if error == .encrypted, reading.configuration.trustedIssuers.contains(where: { !$0.decryptionKeys.isEmpty })
            {
                return try runTrusted(token, nil)
            }
            if error == .malformed {
                return try runOpaque(
                    token, "no JWT: header and claims are JSON objects as Base64 (URL), then a full stop")
            }
            let evidence = RefusalEvidence(reading.snapshot.policy).evidence(
                onToken: token.span, for: error, now: Clock.wallSeconds)
            throw IssuerTest.failed("syntax", AssertionRejection(error), "\(error.rawValue); \(evidence.text)")
        }
        let name = received.issuer ?? ""
        guard case .issuer(let issuer) = sources.currentPolicy.lookup(name) else {
            if case .invalid = sources.currentPolicy.lookup(name) {
                throw IssuerTest.failed("issuer", .invalidIssuer, "\(name); `portcullis check` reports the problem")
            }
            if let trusted = reading.configuration.trustedIssuers.first(where: { $0.issuer.isExactly(name) }) {
                guard trusted.opensRoutes else {
                    throw IssuerTest.failed(
                        "issuer", .wrongType,
                        "clients exchange identity assertions of \"\(trusted.name)\"; no route takes them")
                }
                return try runTrusted(token, trusted)
            }
            throw IssuerTest.failed("issuer", .unknownIssuer, unknown(received.issuer))
        }
        let now = Clock.wallSeconds
        var keys = keySet
        if keys == nil { keys = try fetchedKeys(received, token, issuer, sources, now: now) }
        guard let keys else { throw .failed }
        let verifier = AssertionVerifier(
            issuer: issuer, users: reading.snapshot.tokens.users,
            catalogue: RoleCatalogue(reading.configuration.roles.names))
        let report = verifier.report(
            .init(received, token: token, keys: keys), realm: client?.realm, lifetime: sources.currentPolicy.lifetime,
            now: now)
        for line in report.lines { IssuerTest.print(line.step, line.verdict) }
        let isAllowed = isAllowed { issuer.allows($0) && $0.oauthConsumer }
        guard report.isAccepted, isAllowed else { throw .failed }
    }

    /// - Throws: `.usage` after printing what is given in place of a token.
    private static func token(_ argument: String) throws(ExitStatus) -> [UInt8] {
        let text = argument == "-" ? StandardStream.input() : Array(argument.utf8)
        let words = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard let first = words.first else {
            throw .misuse(argument == "-" ? "standard input has no token" : "the token is empty; is its variable set?")
        }
        if ["bearer", "dpop", "authorization:"].contains(first.lowercased()) {
            throw .misuse("the token begins after \"\(first)\"; give it alone")
        }
        return text.filter { $0 > ASCII.space }
    }

    /// Tests a token of which only the server of its issuer knows more.
    /// - Parameter detail: why it can be no other token.
    private func runOpaque(_ token: [UInt8], _ detail: String) throws(ExitStatus) {
        if reading.configuration.trustedIssuers.contains(where: { $0.introspection != nil }) {
            return try runTrusted(token, nil)
        }
        throw IssuerTest.failed("syntax", .malformed, detail)
    }

    private func unknown(_ issuer: String?) -> String {
        guard let issuer else { return "the token has no \"iss\"" }
        let known = reading.configuration.trustedIssuers.map(\.issuer)
        let near = Suggestion.nearest(to: issuer, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
        return "no issuer of the name: iss \(Evidence.quoted(issuer)), known \(Evidence.list(known))\(near)"
    }

    /// Tests a token that routes accept without an exchange.
    /// - Parameter issuer: nil for an encrypted token, whose issuer is known once it is decrypted.
    private func runTrusted(_ token: [UInt8], _ issuer: TrustedIssuerEntry?) throws(ExitStatus) {
        if let issuer {
            Terminal.print(
                "ok     issuer: \"\(issuer.name)\" of trustedIssuers.json, accepted on routes without exchange")
        }
        guard keySet == nil, client == nil else {
            throw .misuse("--jwks and --client are for tokens that are exchanged")
        }
        let calls = try OutsideCalls(reading)
        defer { calls.end() }
        do throws(Reason) {
            let principal = try Explanation.principal(of: token, reading.snapshot.policy)
            Terminal.print("ok     token: \(Explanation.text(of: principal))")
        } catch {
            let evidence = RefusalEvidence(reading.snapshot.policy).evidence(
                onToken: token.span, for: error, now: Clock.wallSeconds)
            Terminal.print("FAILED token: \(error)" + (evidence.isEmpty ? "" : " (\(evidence.text))"))
            throw .failed
        }
    }

    /// Prints and returns whether the client of `--client` may exchange.
    func isAllowed(_ allows: (Client) -> Bool) -> Bool {
        guard let client else { return true }
        let isAllowed = allows(client)
        Terminal.print("\(isAllowed ? "ok    " : "FAILED") client: \(client.reference)")
        return isAllowed
    }

    private func fetchedKeys(
        _ received: ReceivedToken, _ token: [UInt8], _ issuer: AssertionIssuer, _ sources: AssertionSources, now: Int64
    ) throws(ExitStatus) -> KeySet {
        let calls = try OutsideCalls(reading)
        defer { calls.end() }
        let effect = sources.keys(for: received, token: token, issuer, sources.currentPolicy, now: now)
        if case .success(let keys) = effect.waited() { return keys }
        throw .failure("the issuer's keys cannot be fetched; --jwks takes them from a file")
    }

    private static func client(_ reference: String, _ reading: Assembly.Reading) throws(ExitStatus) -> Client {
        guard
            let client = reading.snapshot.clients.clients.first(where: {
                $0.reference.isExactly(reference)
            })
        else {
            throw .failure("no client \(reference)")
        }
        return client
    }

    private static func keys(_ path: String) throws(ExitStatus) -> KeySet {
        let text = try FileText.named(path)
        do throws(KeySetError) {
            return try KeySet(file: text.span)
        } catch {
            throw .failure("\(path): \(error)")
        }
    }

    private static func print(_ step: String, _ verdict: AssertionReport.Verdict) {
        switch verdict {
        case .passed(let detail): Terminal.print("ok     \(step): \(detail)")
        case .failed(let rejection, let detail): Terminal.print("FAILED \(step): \(rejection.reason) (\(detail))")
        }
    }

    private static func failed(_ step: String, _ rejection: AssertionRejection, _ detail: String) -> ExitStatus {
        print(step, .failed(rejection, detail))
        return .failed
    }
}
