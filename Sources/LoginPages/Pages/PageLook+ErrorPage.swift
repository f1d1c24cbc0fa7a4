import Endpoints
import Model

/// Pages for browsers that receive an error of the gateway.
extension PageLook {
    /// Makes a page for an error.
    package var errorPage: @Sendable (ShownError) -> EndpointResponse {
        { dressed(PageLook.errorPage($0), accepting: $0.languages) }
    }

    private static func errorPage(_ error: ShownError) -> EndpointResponse {
        let (title, detail) = error.home == nil ? errorTexts(of: error.status) : (.wrongHost, .wrongHostDetail)
        let way = error.home.map(Page.Link.home) ?? error.account.map { Page.Link(.otherAccount, to: $0.other) }
        var page = Page(title: .text(title), way: .link(way ?? link(of: error.status))) { say in
            let user = error.account.map { "\n<p>\(say(.signedInAs, [.user: $0.name]))</p>" } ?? ""
            return "<p role=\"alert\">\(say(detail))</p>\(user)"
        }
        // Sandboxed: `Cross-Origin-Opener-Policy` on an error page would cut the application's ties between its
        // windows.
        page.sandbox = ""
        // Any request can get such a page; without the image it stays small.
        page.hasLogo = false
        page.requestID = error.requestID
        return page.response(status: error.status, reason: .errorPage)
    }

    /// What may help, without knowing the request.
    private static func link(of status: Int) -> Page.Link {
        switch status {
        case 401, 408, 429, 500...: .again
        default: .start
        }
    }

    /// Title and sentence for an error status.
    private static func errorTexts(of status: Int) -> (title: PageText, detail: PageText) {
        switch status {
        case 401: (.signInFirst, .signInFirstDetail)
        case 403: (.noAccess, .noAccessDetail)
        case 404: (.pageNotFound, .pageNotFoundDetail)
        case 408: (.tooSlow, .tooSlowDetail)
        case 413, 414, 431: (.tooLarge, .tooLargeDetail)
        case 429: (.tooManyRequests, .tooManyRequestsDetail)
        case 500...: (.notAvailable, .notAvailableDetail)
        default: (.failed, .failedDetail)
        }
    }
}
