import Bytes
import Crypto
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import OAuthServer
import Outbound
import TokenStorage

/// Sessions for the hosts of applications. Cookies belong to a host: a browser logs in at `baseUrl`, and takes the session to the
/// host that it came from by a code. The code names a record of the store, counts once and for a minute, and only there and in
/// the browser that has the other half in a cookie of that host.
struct HostLogin {
    private static let lifetimeSeconds: Int64 = 60
    private static let application = "host login"

    let flow: LoginFlow

    private var store: any TokenStore { flow.service.settings.store }

    /// Where a browser goes on to with a session: the page, at another host by way of a code. Nil if the store fails.
    func destination(of session: Session, _ visit: LoginFlow.Visit) -> Effect<String?> {
        guard let page = visit.request.page, let host = page.host else {
            return .done(flow.location(visit, after: session))
        }
        let until = visit.now + HostLogin.lifetimeSeconds
        var record = TokenRecord(
            id: AccessTokenMinter.randomID(), kind: .posted, application: HostLogin.application, subject: "",
            tokenID: "",
            accessExpiresAt: until, issuedAt: visit.now)
        record.sealed = Array(flow.seals.seal(session).utf8)
        let code = flow.seals.hostCodes.seal([record.id, page.target.text] + host.texts, expiresAt: until)
        return store.ask(.insert(record), now: visit.now) { result in
            guard case .success(.record(_?)) = result else { return .done(nil) }
            return .done("\(host.origin)\(flow.service.settings.paths[.login])?code=\(code)")
        }
    }

    /// The request of a browser that comes back with a code: the session, and the page.
    func redeem(_ code: String, _ browser: BrowserRequest) -> LoginFlow.Answer {
        let request = browser.request
        guard request.method == .get, LoginFlow.isNavigation(request),
            let texts = try? flow.seals.hostCodes.open(Array(code.utf8).span, now: browser.now).texts, texts.count == 4,
            let target = ReturnTarget(texts[1]), let host = VisitedHost(texts.dropFirst(2))
        else { return .done(SingleSignOnFailure.foreignRequest.response) }
        let isHere =
            VisitedHost.origin(request.authority, secure: request.secure)?.isExactly(host.origin) == true
            && BrowserRequest.values(of: .visit, request).contains(where: host.mark.isExactly)
        return store.ask(.revoke(.id(texts[0])), now: browser.now) { result in
            guard case .success(.removed(let records)) = result else {
                return .done(SingleSignOnFailure.unavailable.response)
            }
            // One that was seen elsewhere counts nowhere any more.
            guard isHere, let record = records.first, record.application.isExactly(HostLogin.application),
                let session = try? flow.seals.session(record.sealed.span, now: browser.now)
            else { return .done(SingleSignOnFailure.foreignRequest.response) }
            let cookie = flow.seals.sessionCookie.setting(flow.seals.seal(session), secure: request.secure)
            return .done(
                .redirect(
                    303, to: target.text, reason: .browserLoggedIn, fields: [(name: "Set-Cookie", value: cookie)]))
        }
    }
}
