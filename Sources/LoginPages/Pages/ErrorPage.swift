import Endpoints
import Model

/// The page for a browser that receives an error of the gateway.
package enum ErrorPage {
    /// Who gets the page, and where another user logs in.
    package struct Account: Sendable {
        package let name: String
        package let other: String

        package init(name: String, other: String) {
            self.name = name
            self.other = other
        }
    }

    /// - Parameters:
    ///   - requestID: id of the request in the log.
    ///   - account: of the session that the browser has sent; nil for none.
    package static func response(status: Int, requestID: String, account: Account? = nil) -> EndpointResponse {
        let (title, detail) = texts(of: status)
        var page = Page(title: .text(title)) { say in
            let user = account.map { "\n<p>\(say(.signedInAs, [.user: $0.name]))</p>" } ?? ""
            let link = account.map { Page.html(of: Page.Link(.otherAccount, to: $0.other), say) } ?? ""
            return "<p role=\"alert\">\(say(detail))</p>\(user)\(link)\(Page.html(requestID: requestID, say))"
        }
        // Sandboxed: `Cross-Origin-Opener-Policy` on an error page would cut the application's ties between its
        // windows.
        page.sandbox = ""
        // Any request can get such a page; without the image it stays small.
        page.hasLogo = false
        return page.response(status: status, reason: .errorPage)
    }

    /// Title and sentence for an error status.
    private static func texts(of status: Int) -> (title: PageText, detail: PageText) {
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
