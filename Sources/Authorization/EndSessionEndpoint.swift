import Bytes
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import OAuthServer
import Outbound

/// The logout of browsers that applications send (OpenID Connect RP-Initiated Logout 1.0). The ID token of the browser's
/// session logs out at once; otherwise the user is asked, since any page can send a browser here. Browsers go on to
/// registered addresses only. A link on a page of the gateway's own origin logs out at once, too.
struct EndSessionEndpoint: Sendable {
    typealias Answer = Effect<EndpointResponse>

    /// The parameters that a form repeats. `logout_hint` is ignored.
    private static let repeatedNames = [
        "id_token_hint", "client_id", "post_logout_redirect_uri", "state", "ui_locales",
    ]

    let flow: LoginFlow

    private var settings: TokenServiceSettings { flow.service.settings }

    func answer(_ request: EndpointRequest, now: Int64) -> Answer {
        guard LoginFlow.isNavigation(request) else { return .done(SingleSignOnFailure.notNavigated.response) }
        guard let browser = BrowserRequest(request, now: now) else {
            return .done(SingleSignOnFailure.repeatedParameter.response)
        }
        if request.method == .get { return answer(browser.query, browser) }
        guard request.method == .post else { return .done(BrowserLoginFailure.page(allow: "GET, POST")) }
        guard let form = browser.form else { return .done(SingleSignOnFailure.malformedParameter.response) }
        guard form.first("ticket") != nil else {
            // Cookies do not come with a form of another site, but with the link that follows.
            let query = String(decoding: FormEncoding.form(EndSessionEndpoint.repeatedFields(form)), as: UTF8.self)
            return .done(
                .redirect(303, to: "\(settings.paths[.endSession])?\(query)", reason: .authorizationMoved))
        }
        guard AuthorizationEndpoint.isOwnForm(request) else {
            return .done(BrowserLoginFailure.foreignForm.response)
        }
        return answer(form, browser)
    }

    /// Whether a page of the same origin has the link that the user followed (Fetch Metadata section 2.4): an application's
    /// own "sign out". A navigation, as all requests here.
    private static func isFromOwnPage(_ request: EndpointRequest) -> Bool {
        // What a browser fetches in advance, no user has asked for.
        request.field("sec-fetch-site")?.isExactly("same-origin") == true && request.field("sec-purpose") == nil
    }

    private func answer(_ form: FormFields, _ browser: BrowserRequest) -> Answer {
        checkClient(form, browser).map { $0.preferring(EndSessionEndpoint.languages(form)) }
    }

    private static func languages(_ form: FormFields) -> [LanguageTag] {
        AcceptLanguage.locales(form.value("ui_locales") ?? "")
    }

    private static func repeatedFields(_ form: FormFields) -> [(String, String)] {
        repeatedNames.compactMap { name in form.value(name).map { (name, $0) } }
    }

    private func checkClient(_ form: FormFields, _ browser: BrowserRequest) -> Answer {
        let (named, uri, state) = (
            form.value("client_id"), form.value("post_logout_redirect_uri"), form.value("state")
        )
        let text = form.value("id_token_hint")
        let hint = text.flatMap { IDTokenHint($0, settings, now: browser.now) }
        guard (text == nil) == (hint == nil), AuthorizationRequest.isPlain(state),
            named == nil || hint == nil || named?.isExactly(hint?.clientID ?? "") == true
        else {
            return refuse(
                form, because: "id_token_hint is none of this gateway or of another client, or state is malformed")
        }
        guard let id = named ?? hint?.clientID else {
            return uri == nil
                ? conclude(form, hint, nil, browser)
                : refuse(form, because: "post_logout_redirect_uri without a client")
        }
        return settings.client(id, now: browser.now).then { found in
            guard case .success(let client) = found else {
                return .done(SingleSignOnFailure.unavailable.response)
            }
            guard let client, client.oauthConsumer, !client.isRevoked else {
                return refuse(form, id, because: "client \(Evidence.quoted(id)) is unknown or revoked")
            }
            guard let uri else { return conclude(form, hint, nil, browser) }
            guard let destination = client.grants.authorization?.destinationAfterLogout(uri) else {
                let known = client.grants.authorization?.postLogoutURIs.map(\.text) ?? []
                return refuse(
                    form, id,
                    because: "post_logout_redirect_uri \(Evidence.quoted(uri)), registered \(Evidence.list(known))")
            }
            return conclude(form, hint, destination, browser)
        }
    }

    /// The user can still log out here.
    private func refuse(_ form: FormFields, _ client: String = "", because cause: String) -> Answer {
        let reason = Reason.logoutRequestInvalid
        let languages = EndSessionEndpoint.languages(form).map(\.description).joined(separator: " ")
        // This endpoint logs out without a client, too, and in the same languages.
        let query = FormEncoding.form(languages.isEmpty ? [] : [("ui_locales", languages)])
        let path = settings.paths[.endSession] + (query.isEmpty ? "" : "?\(String(decoding: query, as: UTF8.self))")
        let link = Page.Link(.signOut, to: path)
        return .done(
            Page.failure(.foreignLogout, link: link)
                .response(status: reason.status, reason: reason).comparing([cause])
                .audited("sso.logout", .refused, client: client))
    }

    private func conclude(
        _ form: FormFields, _ hint: IDTokenHint?, _ destination: RedirectDestination?, _ browser: BrowserRequest
    ) -> Answer {
        let address = destination.map { destination in
            form.value("state").map { destination.adding([("state", $0)]) } ?? destination.text
        }
        let sessions = browser.sessions(flow.seals)
        guard !sessions.isEmpty else {
            // The provider sends the browser back, which an application wanted to log out.
            let application = form.value("state").flatMap { flow.afterProvider($0, now: browser.now) }
            return .done(flow.loggedOut(flow.seals.sessionCookie, browser, to: address ?? application))
        }
        let isOfSession =
            hint.map { hint in
                sessions.allSatisfy { hint.subject.isExactly($0.subject) && hint.family.isExactly($0.family) }
            } ?? false
        if browser.isReading, isOfSession || EndSessionEndpoint.isFromOwnPage(browser.request) {
            return flow.end(sessions, browser, to: address, back: browser.previousPage)
        }
        return flow.confirmLogout(browser, fields: EndSessionEndpoint.repeatedFields(form), to: destination) {
            flow.end(sessions, browser, to: address, back: $0)
        }
    }
}
