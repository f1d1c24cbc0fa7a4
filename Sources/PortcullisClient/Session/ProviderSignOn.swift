import Bytes
import ClientStore
import Crypto
import HTTP
import Synchronization

/// A login at an identity provider of the service domain (RP-01), by the user's browser. The browser brings a code to the
/// application, which `authenticate` exchanges.
public struct ProviderSignOn: Sendable {
    private let address: String
    private let state: String
    private let verifier: String

    /// What a browser brings back.
    enum Answer {
        case code(String)
        /// The login was refused, with a code such as `access_denied`.
        case refused(String)
    }

    /// - Parameter provider: its name, where the domain has several; nil lets the user choose.
    public init(profile: ClientProfile, provider: String? = nil) throws(ClientError) {
        let random = { String(decoding: Base64.encode(SecureRandom.bytes(32).span, .url), as: UTF8.self) }
        (state, verifier) = (random(), random())
        let digest = DigestAlgorithm.sha256.digest(Array(verifier.utf8).span)
        var fields = try [
            ("serviceDomain", ClientProfile.required(profile.serviceDomain, "serviceDomain")),
            ("appName", ClientProfile.required(profile.appName, "appName")), ("state", state),
            ("code_challenge", String(decoding: Base64.encode(digest.span, .url), as: UTF8.self)),
            ("code_challenge_method", "S256"),
        ]
        if let provider { fields.append(("provider", provider)) }
        address = "\(profile.url(GatewayPaths.relyingParty))?\(FormText.query(fields))"
    }

    /// The URL for the user's browser.
    ///
    /// - Parameter redirectURI: where the browser comes back to: one of the application's `redirectUris`, or of its
    ///   `urlScheme`.
    public func url(redirectURI: String) -> String { "\(address)&\(FormText.query([("redirect_uri", redirectURI)]))" }

    /// Whether a query is the answer to this login.
    public func isAnswer(_ query: [UInt8]) -> Bool { answer(in: query) != nil }

    /// Nil for a query that does not belong to this login.
    func answer(in query: [UInt8]) -> Answer? {
        guard let fields = try? FormFields.parse(query.span), fields.repeatedName == nil,
            let returned = fields.first("state"), returned.isExactly(state)
        else { return nil }
        if let code = fields.first("code"), !code.isEmpty { return .code(code) }
        let isCode = { (text: String) in text.utf8.allSatisfy { ASCII.isLetter($0) || $0 == UInt8(ascii: "_") } }
        return fields.first("error").map { .refused(isCode($0) ? $0 : "server_error") }
    }
}

extension ProviderSignOn {
    /// Logs in with the code that a browser has brought, and stores the login.
    ///
    /// - Parameter query: of the URL that the browser came back to.
    @discardableResult
    public func authenticate(
        _ client: GatewayClient, query: [UInt8]
    ) async throws(ClientError) -> AuthenticationContext {
        do throws(ClientError) {
            let context = try AuthenticationContext(adopting: try await redeem(query, client), nil, in: client)
            client.delegate?.didFinishAuthentication(context, error: nil)
            return context
        } catch {
            client.delegate?.didFinishAuthentication(nil, error: error)
            throw error
        }
    }

    /// Exchanges the code (RP-02).
    private func redeem(_ query: [UInt8], _ client: GatewayClient) async throws(ClientError) -> StoredLogin {
        switch answer(in: query) {
        case nil: throw ClientError(.invalidArgument, "this is not the answer to the login")
        case .refused(let error): throw ClientError(.refused, "the login was refused: \(error)")
        case .code(let code):
            let service = try await MobileService(of: client, client.live.withLock { $0.session.registration })
            return try await client.finish(client.ask(service.redeem(code, verifier)), service, nil)
        }
    }
}
