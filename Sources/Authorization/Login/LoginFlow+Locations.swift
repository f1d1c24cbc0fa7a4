import Bytes
import Crypto
import Endpoints
import Identity
import LoginPages
import Model
import OAuthServer

/// Where browsers continue: at a page, or with a sealed request.
extension LoginFlow {
    /// Address of the request, before the login.
    func location(of visit: Visit) -> String {
        location(visit, loggedInAt: nil) + (visit.isForced ? "&prompt=login" : "")
    }

    /// The address after the login, which satisfies a request for a new login.
    func locationAfterLogin(_ visit: Visit) -> String { location(visit, loggedInAt: visit.now) }

    func location(_ visit: Visit, loggedInAt: Int64?) -> String {
        let path: String
        switch visit.request.purpose {
        case .device: path = service.settings.paths[.device]
        case .authorization: path = service.settings.paths[.authorization]
        case .page(let page):
            return loggedInAt == nil ? formAddress(visit, by: nil) : page.target.text
        case .ofFamily(let page): return settings.pages?.location(page, visit.request.clientID) ?? "/"
        }
        return "\(path)?resume=\(sealed(visit.request, loggedInAt: loggedInAt, now: visit.now))"
    }

    /// A checked authorization request, sealed.
    /// - Parameter loggedInAt: when the user logged in for it, in seconds since 1970; nil before.
    func sealed(_ request: LoginRequest, loggedInAt: Int64?, now: Int64) -> String {
        seals.loginRequests.seal(
            request.texts + [loggedInAt.map { "\($0)" } ?? ""], expiresAt: now + LoginRequest.lifetimeSeconds)
    }

    /// Opens what `sealed` returns; nil for another text.
    func resume(_ text: String, now: Int64) -> (request: LoginRequest, loggedInAt: Int64?)? {
        guard let texts = try? seals.loginRequests.open(Array(text.utf8).span, now: now).texts,
            texts.count == LoginRequest.textCount + 1,
            let request = LoginRequest(texts: Array(texts.prefix(LoginRequest.textCount)))
        else { return nil }
        return (request, Decimal.parse(Array(texts[LoginRequest.textCount].utf8).span).map(Int64.init))
    }

    // MARK: Refusals with a way on

    package func refuseRealm(_ session: Session, _ visit: Visit) -> EndpointResponse {
        let failure = SingleSignOnFailure.wrongRealm
        return otherAccount(failure.text, status: failure.status, reason: failure.reason, visit)
            .audited("token", .refused, visit, session.subject)
    }

    /// The page for a browser that has no session though it has just logged in.
    func lost(_ visit: Visit) -> EndpointResponse {
        let failure = SingleSignOnFailure.foreignRequest
        let link = Page.Link(.tryAgain, to: location(of: visit) + "&prompt=login")
        return Page.failure(failure.text, link: link).response(status: failure.status, reason: failure.reason)
    }

    /// A refusal with a link to log in with another account.
    func otherAccount(_ detail: PageText, status: Int, reason: Reason, _ visit: Visit) -> EndpointResponse {
        let link = Page.Link(.otherAccount, to: location(visit, loggedInAt: nil) + "&prompt=login")
        return Page.failure(detail, link: link).response(status: status, reason: reason)
    }
}
