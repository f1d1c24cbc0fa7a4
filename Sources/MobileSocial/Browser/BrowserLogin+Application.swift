import Bytes
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import Outbound

/// Logins of applications at identity providers (RP-01, RP-02): an application has the user's browser opened here, and gets
/// it back by a URL of its own, with a code that it fetches its session for. No token is ever in a URL.
extension BrowserLogin {
    private static let longestState = 512

    /// `GET` with `serviceDomain`, `appName`, and if wanted `redirect_uri`, `state`, `code_challenge` (RFC 7636); of
    /// several providers `provider` is the one that the user wants.
    func beginApplication(_ request: EndpointRequest, now: Int64) -> Answer {
        guard request.method == .get || request.method == .head else {
            return .done(BrowserLoginFailure.page(allow: "GET, HEAD"))
        }
        do throws(BrowserLoginFailure) {
            guard let browser = BrowserRequest(request, now: now) else { throw .malformedRequest }
            let name = browser.query.first("serviceDomain") ?? BrowserLoginEndpoints.standardDomain
            guard let domain = social.domain(named: name), !domain.relyingParties.isEmpty, let providers else {
                throw .unknownService
            }
            guard let application = browser.query.first("appName").flatMap(domain.application(named:)),
                !domain.isClientOfAgent(application)
            else { throw .unknownApplication }
            let redirect = try application.redirect(browser.query.first("redirect_uri"))
            let state = browser.query.first("state") ?? ""
            guard state.utf8.count <= BrowserLogin.longestState else { throw .malformedRequest }
            let errand = LoginErrand(
                .application, [domain.name, application.name, redirect, state, try challenge(browser.query)])
            let parties = domain.relyingParties
            let wanted = browser.query.first("provider").flatMap(domain.relyingParty(named:))
            guard let party = parties.count == 1 ? parties[0] : wanted else {
                return .done(choice(parties, application, browser.query))
            }
            guard let provider = providers.provider(named: party.provider) else { throw .unknownService }
            return providers.begin(provider, errand, browser)
        } catch {
            return .done(error.response)
        }
    }

    /// Empty for none. Of the two methods of RFC 7636 the one that proves something.
    private func challenge(_ query: FormFields) throws(BrowserLoginFailure) -> String {
        guard let challenge = query.first("code_challenge") else { return "" }
        guard challenge.utf8.count == 43, query.first("code_challenge_method")?.isExactly("S256") == true else {
            throw .malformedRequest
        }
        return challenge
    }

    /// The browser is back: it goes on to the application, with a code or with why there is none.
    func finish(
        application texts: [String], _ result: Result<ProvidedIdentity, ProviderFailure>, _ browser: BrowserRequest
    ) -> Answer {
        guard texts.count == 5, let providers, let domain = social.domain(named: texts[0]),
            !domain.relyingParties.isEmpty, let application = domain.application(named: texts[1]),
            // Once more, since the configuration may be another by now.
            let redirect = try? application.redirect(texts[2])
        else { return .done(BrowserLoginFailure.unknownApplication.response) }
        let back = { @Sendable (fields: [(String, String)], reason: Reason) -> EndpointResponse in
            let state = texts[3].isEmpty ? [] : [("state", texts[3])]
            return BrowserLogin.sendBack(redirect, fields + state, reason, browser)
        }
        switch result.of(domain) {
        case .failure(let failure):
            return .done(back([("error", failure.codeForApplications)], failure.reason))
        case .success((let identity, let party)):
            let code = MobileSocialService.CodeWish(
                identity: identity, domain: domain, party: party, application: application, challenge: texts[4])
            return social.code(code, providers, now: browser.now).map { [social] outcome in
                switch outcome {
                case .success(let code):
                    var response = back([("code", code.text)], .loginCodeIssued)
                    response.audit = social.audit(.granted, code.subject, domain.reference(application))
                    return response
                case .failure(.identity(let rejection)):
                    var response = back([("error", "access_denied")], rejection.reason)
                    response.audit = social.audit(
                        .refused, "\(identity.provider):\(identity.subject)", domain.reference(application))
                    return response
                case .failure(.store): return back([("error", "temporarily_unavailable")], .storeUnavailable)
                }
            }
        }
    }

    private static func sendBack(
        _ redirect: String, _ fields: [(String, String)], _ reason: Reason, _ browser: BrowserRequest
    ) -> EndpointResponse {
        let joint = redirect.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        let query = String(decoding: FormEncoding.form(fields), as: UTF8.self)
        return EndpointResponse(
            status: 303,
            headers: [
                (name: "Location", value: "\(redirect)\(joint)\(query)"), (name: "Cache-Control", value: "no-store"),
                (name: "Referrer-Policy", value: "no-referrer"),
                (name: "Set-Cookie", value: BrowserCookie.login.removing(secure: browser.request.secure)),
            ],
            body: [], reason: reason)
    }
}

extension ProviderFailure {
    /// In the words of RFC 6749 section 4.1.2.1.
    fileprivate var codeForApplications: String {
        switch status {
        case 403: "access_denied"
        case 503: "temporarily_unavailable"
        default: "server_error"
        }
    }
}

extension MobileApplication {
    private static let longestRedirect = 1024

    /// Where browsers go back to: the place that is asked for, if it is the application's, or the standard one (RP-02).
    fileprivate func redirect(_ wish: String?) throws(BrowserLoginFailure) -> String {
        guard let wish else {
            if let scheme = ownScheme { return "\(scheme)://login" }
            guard redirectURIs.count == 1 else { throw .foreignRedirect }
            return redirectURIs[0]
        }
        if redirectURIs.contains(where: { $0.isExactly(wish) }) { return wish }
        let bytes = Array(wish.utf8)
        guard let ownScheme, bytes.count <= MobileApplication.longestRedirect,
            bytes.allSatisfy({ $0 > ASCII.space && $0 < 0x7F && $0 != UInt8(ascii: "#") && $0 != ASCII.backslash }),
            let colon = bytes.firstIndex(of: ASCII.colon),
            bytes[..<colon].map(ASCII.lowercased).elementsEqual(ownScheme.utf8.map(ASCII.lowercased))
        else { throw .foreignRedirect }
        return wish
    }

    private var ownScheme: String? { urlScheme.flatMap { URLScheme.isShared($0) ? nil : $0 } }
}
