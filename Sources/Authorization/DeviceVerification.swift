import Bytes
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import OAuthServer
import Outbound
import TokenStorage

/// The page where users let a device log in (RFC 8628 section 3.3): they type its code, log in by the session and the pages
/// of single sign-on, and are asked each time. No link approves a device, so that no user connects the device of another
/// person by following one (section 5.4).
struct DeviceVerification: Sendable {
    typealias Answer = Effect<EndpointResponse>

    private static let codePurpose = "device code"

    let flow: LoginFlow

    private var service: TokenService { flow.service }
    private var logins: DeviceLogins { DeviceLogins(service.settings) }

    func answer(_ request: EndpointRequest, now: Int64) -> Answer {
        do throws(SingleSignOnFailure) {
            guard LoginFlow.isNavigation(request) else { throw .notNavigated }
            guard let browser = BrowserRequest(request, now: now) else { throw .malformedParameter }
            if browser.isReading {
                if let sealed = browser.query.first("resume") {
                    let visit = try visit(sealed, browser)
                    // The link of another browser, whose user has typed the code of a device.
                    guard let nonce = visit.request.device?.nonce, browser.nonce?.isExactly(nonce) == true else {
                        return .done(form(browser))
                    }
                    return proceed(visit)
                }
                let code = browser.query.first("user_code").flatMap(UserCode.init(typed:))
                return .done(form(browser, code: code?.shown ?? ""))
            }
            guard request.method == .post else { return .done(BrowserLoginFailure.page(allow: "GET, HEAD, POST")) }
            guard let form = browser.form, AuthorizationEndpoint.isOwnForm(request) else {
                return .done(BrowserLoginFailure.foreignForm.response)
            }
            if let sealed = form.first("request") { return receive(form, try visit(sealed, browser)) }
            return lookUp(form, browser)
        } catch {
            return .done(error.response)
        }
    }

    // MARK: The code

    private func form(
        _ browser: BrowserRequest, code: String = "", notice: Page.Notice? = nil, status: Int = 200,
        reason: Reason = .deviceCodeForm
    ) -> EndpointResponse {
        let (ticket, cookie) = flow.ticket(DeviceVerification.codePurpose, browser)
        return Page.deviceCode(action: service.settings.paths[.device], ticket: ticket, code: code, notice: notice)
            .response(status: status, reason: reason, fields: cookie)
    }

    /// The form, since no device waits with the code any more.
    private func unknown(_ browser: BrowserRequest) -> EndpointResponse {
        let reason = Reason.deviceUserCodeUnknown
        return form(browser, notice: .wrongDeviceCode, status: reason.status, reason: reason)
            .audited("sso.device", .refused)
    }

    private func lookUp(_ fields: FormFields, _ browser: BrowserRequest) -> Answer {
        do throws(BrowserLoginFailure) {
            _ = try LoginTicket(
                fields.first("ticket") ?? "", for: DeviceVerification.codePurpose, nonce: browser.nonce,
                flow.seals.tickets, now: browser.now)
        } catch {
            let notice = Page.Notice(error)
            return .done(form(browser, notice: notice, status: error.status, reason: error.reason))
        }
        return attempt(browser).then { result in
            switch result {
            case .failure(let refusal): .done(throttled(refusal, browser))
            case .success(let attempt): lookUp(UserCode(typed: fields.first("user_code") ?? ""), attempt, browser)
            }
        }
    }

    /// Counts for the account of a browser that has logged in, so that others behind its address do not lock it out; else
    /// for the network.
    private func attempt(_ browser: BrowserRequest) -> Effect<Result<LoginAttempt, LoginThrottle.Refusal>> {
        let throttle = service.settings.deviceThrottle
        if let session = flow.sealedSession(of: browser), flow.isAccepted(session) {
            let realm = "\(session.provider)\u{1f}\(session.realm)"
            return throttle.attempt(user: session.subject, realm: realm, network: [], now: browser.now)
        }
        return throttle.attempt(network: browser.request.address?.subscriberBytes ?? [], now: browser.now)
    }

    private func lookUp(_ code: UserCode?, _ attempt: LoginAttempt, _ browser: BrowserRequest) -> Answer {
        guard let code else {
            attempt.failed()
            return .done(unknown(browser))
        }
        return logins.find(code, now: browser.now).then { result in
            guard case .success(let found) = result else { return .done(SingleSignOnFailure.unavailable.response) }
            guard let record = found else {
                attempt.failed()
                return .done(unknown(browser))
            }
            return clientOfDevice(record, now: browser.now).map { found in
                attempt.withdraw()
                guard case .success(let client) = found else { return SingleSignOnFailure.unavailable.response }
                guard let client else { return unknown(browser) }
                let request = LoginRequest(
                    .device(DeviceRequest(id: record.id, code: code, nonce: browser.nonce ?? "")), of: client)
                let sealed = flow.sealed(request, now: browser.now)
                return .redirect(303, to: "\(service.settings.paths[.device])?resume=\(sealed)", reason: .ssoLoginAsked)
            }
        }
    }

    private func throttled(_ refusal: LoginThrottle.Refusal, _ browser: BrowserRequest) -> EndpointResponse {
        let seconds = refusal.retryAfter
        var response = form(
            browser, notice: .tooManyAttempts(retryAfter: seconds), status: 429, reason: .loginThrottled)
        response.headers.append((name: "Retry-After", value: "\(seconds)"))
        return response.audited("sso.device", .refused)
    }

    private func clientOfDevice(_ record: TokenRecord, now: Int64) -> Effect<Result<Client?, StoreFailure>> {
        let settings = service.settings
        if let client = settings.clients.client(id: Array(record.application.utf8).span) {
            return .done(.success(client))
        }
        // The id of a client that has registered itself stands for it in the store.
        guard RegisteredClients.names(record.application) else { return .done(.success(nil)) }
        return settings.client(record.application, now: now)
    }

    // MARK: Login and consent

    /// A request that was sealed here, checked by the current configuration.
    private func visit(
        _ sealed: String, _ browser: BrowserRequest
    ) throws(SingleSignOnFailure) -> LoginFlow.Visit {
        guard let (request, _) = flow.resume(sealed, now: browser.now), request.device != nil else {
            throw .foreignRequest
        }
        return try flow.visit(request, browser)
    }

    private func proceed(_ visit: LoginFlow.Visit) -> Answer {
        guard !visit.isForced, let session = flow.session(of: visit.browser, visit) else {
            return flow.beginLogin(visit)
        }
        return whileAllowed(session, visit) { .done(ask(session, $0, $1, visit)) }
    }

    /// Continues with the waiting login, if the session is stored and its user may use the client.
    private func whileAllowed(
        _ session: Session, _ visit: LoginFlow.Visit, _ next: @escaping @Sendable (Client, TokenRecord) -> Answer
    ) -> Answer {
        guard let device = visit.request.device, let client = visit.client else {
            return .done(SingleSignOnFailure.foreignRequest.response)
        }
        return flow.whileStored(session, now: visit.now) { isStored in
            guard let isStored else { return .done(SingleSignOnFailure.unavailable.response) }
            guard isStored else { return flow.beginLogin(visit) }
            // SSO-10
            guard visit.isOfRealm(session) else {
                return .done(flow.refuseRealm(session, visit))
            }
            return logins.find(device.code, now: visit.now).then { result in
                guard case .success(let found) = result else {
                    return .done(SingleSignOnFailure.unavailable.response)
                }
                // Another device may show the code by now.
                guard let record = found, record.id.isExactly(device.id),
                    record.application.isExactly(client.id)
                else { return .done(unknown(visit.browser)) }
                return next(client, record)
            }
        }
    }

    private func ask(
        _ session: Session, _ client: Client, _ record: TokenRecord, _ visit: LoginFlow.Visit
    ) -> EndpointResponse {
        let (ticket, cookie) = flow.ticket(DeviceVerification.purpose(session, visit.request), visit.browser)
        let scopes = record.scope.split(separator: " ").map(String.init)
        var question = ConsentQuestion(
            client: client.title, user: session.subject,
            rights: PageWords.rights(of: client, scopes, service.settings), place: nil,
            otherAccount: flow.location(of: visit) + "&prompt=login")
        question.deviceCode = visit.request.device?.code.shown
        question.isUnverified = client.isRegistered
        let sealed = flow.sealed(visit.request, now: visit.now)
        return Page.consent(
            question, action: service.settings.paths[.device], ticket: ticket, fields: [("request", sealed)]
        ).response(status: 200, reason: .consentAsked, fields: cookie)
    }

    /// The purpose of a consent form: one device in one session.
    private static func purpose(_ session: Session, _ request: LoginRequest) -> String {
        (["device", session.id] + request.texts).map { "\($0.utf8.count) \($0)" }.joined(separator: " ")
    }

    /// The answer to the consent page.
    private func receive(_ form: FormFields, _ visit: LoginFlow.Visit) -> Answer {
        guard let session = flow.session(of: visit.browser, visit) else {
            return .done(BrowserLoginFailure.foreignForm.response)
        }
        do throws(BrowserLoginFailure) {
            _ = try LoginTicket(
                form.first("ticket") ?? "", for: DeviceVerification.purpose(session, visit.request),
                nonce: visit.browser.nonce, flow.seals.tickets, now: visit.now)
        } catch {
            return .done(error.response)
        }
        let decision = form.first(Page.Decision.name).flatMap(Page.Decision.init(rawValue:))
        return whileAllowed(session, visit) { _, record in
            let login =
                decision == .approve
                ? AuthorizationCode(
                    scope: record.scope, resources: DeviceLogins.resources(of: record), session: session) : nil
            return logins.decide(record, subject: session.subject, login, now: visit.now).map { isFirst in
                guard let isFirst else { return SingleSignOnFailure.unavailable.response }
                return isFirst ? decided(session, isApproved: login != nil, visit) : unknown(visit.browser)
            }
        }
    }

    private func decided(_ session: Session, isApproved: Bool, _ visit: LoginFlow.Visit) -> EndpointResponse {
        guard isApproved else {
            return Page.message(
                .deviceDenied, .deviceDeniedDetail, link: Page.Link(.connectDevice, to: service.settings.paths[.device])
            )
            .response(status: 200, reason: .deviceDecided).audited("device", .refused, visit, session.subject)
        }
        var used = session
        used.usedAt = visit.now
        let cookie = flow.cookie(flow.seals.sessionCookie, flow.seals.seal(used), visit.browser)
        return Page.message(
            .deviceConnected, .deviceConnectedDetail,
            link: Page.Link(.connectDevice, to: service.settings.paths[.device])
        )
        .response(status: 200, reason: .deviceDecided, fields: [cookie])
        .audited("device", .granted, visit, session.subject)
    }
}
