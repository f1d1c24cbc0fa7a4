import Bytes
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import Outbound

/// Logins of applications at identity providers (RP-01, RP-02): an application opens the user's browser here, and the
/// browser returns to the application's URL with a one-time code for its session. No URL contains a token.
extension BrowserLogin {
    private static let longestState = 512

    /// `GET` with `serviceDomain`, `appName`, and optionally `redirect_uri`, `state`, `code_challenge` (RFC 7636) and
    /// `provider`.
    func beginApplication(_ request: EndpointRequest, now: Int64) -> Answer {
        guard request.method == .get || request.method == .head else {
            return .done(BrowserLoginFailure.page(allow: "GET, HEAD"))
        }
        do throws(BrowserLoginFailure) {
            guard let browser = BrowserRequest(request, now: now) else { throw .malformedRequest }
            let name = browser.query.first("serviceDomain") ?? LoginDomainName.standard
            guard let domain = social.settings.domain(named: name) else { throw .unknownService }
            let parties = domain.relyingParties
            guard !parties.isEmpty, let providers else { throw .withoutProvider }
            guard let application = browser.query.first("appName").flatMap(domain.application(named:)),
                !domain.isClientOfAgent(application)
            else { throw .unknownApplication }
            let redirect = try application.settings.redirect(browser.query.first("redirect_uri"))
            let state = browser.query.first("state") ?? ""
            guard state.utf8.count <= BrowserLogin.longestState else { throw .malformedRequest }
            let purpose = LoginPurpose(
                .application, [domain.name, application.name, redirect, state, try challenge(browser.query)])
            let named = browser.query.first("provider")
            let wanted = named.flatMap(domain.relyingParty(named:))
            if named != nil, wanted == nil { throw .unknownProvider }
            guard let party = parties.count == 1 ? parties[0] : wanted else {
                return .done(choice(parties, application, browser.query))
            }
            guard let provider = providers.provider(named: party.provider) else { throw .unknownService }
            return providers.begin(provider, purpose, browser)
        } catch {
            return .done(error.response)
        }
    }

    /// The page to choose a provider for an application, which asks for passwords itself.
    private func choice(
        _ parties: [ServiceDomain.RelyingParty], _ application: MobileApplication, _ query: FormFields
    ) -> EndpointResponse {
        let names = ["serviceDomain", "appName", "redirect_uri", "state", "code_challenge", "code_challenge_method"]
        let fields = names.compactMap { name in query.first(name).map { (name, $0) } }
        let choices = parties.map { party in
            let form = FormEncoding.form(fields + [("provider", party.provider)])
            return (
                words: LoginChoice(party.provider, title: party.title).words,
                target: "\(MobileSocialEndpoints.applicationPath)?\(String(decoding: form, as: UTF8.self))"
            )
        }
        return Page.choice(to: application.displayName, of: choices).response(status: 200, reason: .loginChoice)
    }

    /// The PKCE challenge, empty for none. Only S256 is accepted, since `plain` protects nothing.
    private func challenge(_ query: FormFields) throws(BrowserLoginFailure) -> String {
        guard let challenge = query.first("code_challenge") else { return "" }
        guard challenge.utf8.count == 43, query.first("code_challenge_method")?.isExactly("S256") == true else {
            throw .malformedRequest
        }
        return challenge
    }

    /// Sends a browser that returns from the provider to the application, with a code or an error.
    func finish(
        application texts: [String], _ result: Result<ProvidedIdentity, ProviderFailure>, _ browser: BrowserRequest
    ) -> Answer {
        guard texts.count == 5, let providers, let domain = social.settings.domain(named: texts[0]),
            !domain.relyingParties.isEmpty, let application = domain.application(named: texts[1]),
            // Checked again, since the configuration may have changed.
            let redirect = try? application.settings.redirect(texts[2])
        else { return .done(BrowserLoginFailure.unknownApplication.response) }
        let back = { @Sendable (fields: [(String, String)], reason: Reason) -> EndpointResponse in
            let state = texts[3].isEmpty ? [] : [("state", texts[3])]
            return BrowserLogin.sendBack(redirect, fields + state, reason, browser)
        }
        switch result.of(domain) {
        // It may be another browser, which no application has sent.
        case .failure(let failure) where failure.isInterruption: return .done(providers.page(failure))
        case .failure(let failure):
            return .done(back([("error", failure.codeForApplications)], failure.reason))
        case .success((let identity, let party)):
            let request = ProvidedLogins.CodeRequest(
                identity: identity, domain: domain, party: party, application: application, challenge: texts[4])
            let (action, client) = ("oic.relying-party", domain.reference(application))
            return social.providers.code(request, providers, now: browser.now).map { outcome in
                switch outcome {
                case .success(let code):
                    back([("code", code.text)], .loginCodeIssued)
                        .audited(action, .granted, subject: code.subject, client: client)
                case .failure(.identity(let rejection)):
                    back([("error", "access_denied")], rejection.reason).audited(
                        action, .refused, subject: "\(identity.provider):\(identity.subject)", client: client)
                case .failure(.store): back([("error", "temporarily_unavailable")], .storeUnavailable)
                }
            }
        }
    }

    private static func sendBack(
        _ redirect: String, _ fields: [(String, String)], _ reason: Reason, _ browser: BrowserRequest
    ) -> EndpointResponse {
        let joint = redirect.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        let query = String(decoding: FormEncoding.form(fields), as: UTF8.self)
        return .redirect(
            303, to: "\(redirect)\(joint)\(query)", reason: reason,
            fields: [
                (name: "Referrer-Policy", value: "no-referrer"),
                (name: "Set-Cookie", value: BrowserCookie.login.removing(secure: browser.request.secure)),
            ])
    }
}

extension ProviderFailure {
    /// `error` of RFC 6749 section 4.1.2.1.
    fileprivate var codeForApplications: String {
        switch status {
        case 403: "access_denied"
        case 503: "temporarily_unavailable"
        default: "server_error"
        }
    }
}

extension MobileApplicationSettings {
    private static let longestRedirect = 1024

    /// The redirect URI: the requested one if it belongs to the application, or the default (RP-02).
    fileprivate func redirect(_ requested: String?) throws(BrowserLoginFailure) -> String {
        guard let requested else {
            if let scheme = ownScheme { return "\(scheme)://login" }
            guard redirectURIs.count == 1 else { throw .foreignRedirect }
            return redirectURIs[0]
        }
        if redirectURIs.contains(where: { $0.isExactly(requested) }) { return requested }
        // A program of this machine has any port that is free (RFC 8252 section 7.3).
        if redirectURIs.contains(where: { (try? ClientRedirectURI($0))?.destination(requested) != nil }) {
            return requested
        }
        let bytes = Array(requested.utf8)
        guard let ownScheme, bytes.count <= MobileApplicationSettings.longestRedirect,
            bytes.allSatisfy({ $0 > ASCII.space && $0 < 0x7F && $0 != UInt8(ascii: "#") && $0 != ASCII.backslash }),
            let colon = bytes.firstIndex(of: ASCII.colon),
            bytes[..<colon].map(ASCII.lowercased).elementsEqual(ownScheme.utf8.map(ASCII.lowercased))
        else { throw .foreignRedirect }
        return requested
    }

    private var ownScheme: String? { urlScheme.flatMap { URLScheme.isShared($0) ? nil : $0 } }
}

extension Result where Success == ProvidedIdentity, Failure == ProviderFailure {
    /// The identity with the domain's rules for the provider. The configuration may have changed since the login began:
    /// a provider that the domain does not use any more is refused.
    func of(_ domain: ServiceDomain) -> Result<(ProvidedIdentity, ServiceDomain.RelyingParty), ProviderFailure> {
        flatMap { identity in
            guard let party = domain.relyingParty(named: identity.provider) else { return .failure(.foreignAnswer) }
            return .success((identity, party))
        }
    }
}
