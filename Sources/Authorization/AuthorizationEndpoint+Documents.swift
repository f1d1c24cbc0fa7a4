import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import OAuthServer
import Outbound

/// Clients whose ids are the URLs of their metadata. Only a user who has logged in makes the gateway fetch such a document, so
/// that until then nothing proves the redirect URI of a request, and refusals are pages.
extension AuthorizationEndpoint {
    func begin(_ fields: FormFields, of document: ClientDocument, _ browser: BrowserRequest) -> Answer {
        do throws(ClientDocumentFailure) {
            _ = try document.url()
        } catch {
            return .done(error.page(.start))
        }
        return document.known(now: browser.now).then { known in
            guard let client = known ?? document.unproven(redirectURI: fields.value("redirect_uri")),
                client.oauthConsumer, !client.isRevoked
            else { return .done(AuthorizationFailure.unknownClient.response) }
            let rules = client.grants.authorization ?? AuthorizationRules(redirectURIs: [])
            return beginRequest(fields, client, rules, browser, isProven: known != nil)
        }
    }

    /// Continues with the answer to a question, if the client is still the one that the question was about: its document may have
    /// changed meanwhile, or the client may be gone.
    func proveAgain(
        _ session: Session, _ inquiry: Inquiry, next: @escaping @Sendable (Inquiry) -> Answer
    ) -> Answer {
        guard let document = ClientDocument(inquiry.client.clientID, service.settings) else {
            return .done(AuthorizationFailure.unknownClient.response)
        }
        return document.known(now: inquiry.now).then { known in
            guard known?.grants.authorization?.destination(inquiry.request.redirectURI) != nil else {
                return prove(session, inquiry)
            }
            var proven = inquiry
            proven.isProven = true
            return next(proven)
        }
    }

    /// Continues as the document of the client says.
    func prove(_ session: Session, _ inquiry: Inquiry) -> Answer {
        guard let document = ClientDocument(inquiry.client.clientID, service.settings) else {
            return .done(AuthorizationFailure.unknownClient.response)
        }
        return document.client(for: "\(session.provider) \(session.subject)", now: inquiry.now).then { found in
            let (visit, request) = (inquiry.visit, inquiry.request)
            let client: Client
            switch found {
            case .success(let known): client = known
            case .failure(let failure):
                let page = failure.page(Page.Link(.tryAgain, to: flow.location(of: visit)))
                return .done(page.audited("document", .refused, visit, session.subject))
            }
            guard client.grants.authorization?.destination(request.redirectURI) != nil else {
                return .done(foreignRedirect(request.redirectURI, of: client))
            }
            do throws(SingleSignOnFailure) {
                let whole = LoginRequest(.authorization(request), of: client)
                var proven = try self.inquiry(request: whole, request, inquiry.browser, inquiry.login)
                proven.isProven = true
                return askOrGrant(session, proven)
            } catch {
                return .done(error.response)
            }
        }
    }
}

extension ClientDocumentFailure {
    fileprivate func page(_ link: Page.Link) -> EndpointResponse {
        let text: PageText =
            switch reason {
            case .loginThrottled: .tooManyAttempts
            case .tokenStoreUnavailable: .unavailable
            default: .clientDocument
            }
        return Page.failure(text, link: link).response(status: reason.status, reason: reason).comparing([cause])
    }
}

extension AuthorizationRefusal {
    /// For a browser that must not be sent back.
    var page: EndpointResponse {
        let isPassing = self == .unavailable
        return Page.failure(isPassing ? .unavailable : .foreignRequest, link: .start)
            .response(status: isPassing ? 503 : 400, reason: reason)
    }
}
