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
        location(visit) + (visit.isForced ? "&prompt=login" : "")
    }

    /// - Parameter login: the session that was just opened for the request; nil before.
    func location(_ visit: Visit, after login: Session? = nil) -> String {
        let path: String
        switch visit.request.purpose {
        case .device: path = service.settings.paths[.device]
        case .authorization: path = service.settings.paths[.authorization]
        case .page(let page), .ofPlace(_, let page):
            return login == nil ? address(visit, by: nil) : page.target.text
        case .ofFamily(let page): return settings.pages?.location(page, visit.request.clientID) ?? "/"
        }
        let made = login.map { MadeLogin(sessionID: $0.id, time: visit.now) }
        return "\(path)?resume=\(sealed(visit.request, after: made, now: visit.now))"
    }

    /// A checked authorization request, sealed.
    /// - Parameter login: the login for it; nil before.
    func sealed(_ request: LoginRequest, after login: MadeLogin? = nil, now: Int64) -> String {
        seals.loginRequests.seal(
            request.texts + [login?.sessionID ?? "", login.map { "\($0.time)" } ?? ""],
            expiresAt: now + LoginRequest.lifetimeSeconds)
    }

    /// Opens what `sealed` returns; nil for another text.
    func resume(_ text: String, now: Int64) -> (request: LoginRequest, login: MadeLogin?)? {
        let count = LoginRequest.textCount
        guard let texts = try? seals.loginRequests.open(Array(text.utf8).span, now: now).texts,
            texts.count == count + 2, let request = LoginRequest(texts: Array(texts.prefix(count)))
        else { return nil }
        let time = Decimal.parse(Array(texts[count + 1].utf8).span).map(Int64.init)
        return (request, time.map { MadeLogin(sessionID: texts[count], time: $0) })
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
        let link = Page.Link(.otherAccount, to: location(visit) + "&prompt=login")
        return Page.failure(detail, link: link).response(status: status, reason: reason)
    }
}
