import Endpoints
import Model

/// The page for a browser that receives an error of the gateway.
package enum ErrorPage {
    /// - Parameter requestID: id of the request in the log.
    package static func response(status: Int, requestID: String) -> EndpointResponse {
        let (title, detail) = texts(of: status)
        var page = Page(title: .text(title)) { say in
            """
            <p role="alert">\(say(detail))</p>
            <p>\(say(.requestID)) <code dir="ltr">\(Page.escaped(requestID))</code></p>
            """
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
