import Endpoints
import Model

/// The page that a browser gets for an error of the gateway's own.
package enum ErrorPage {
    /// - Parameter requestID: by which operators find the request in their logs.
    package static func response(status: Int, requestID: String) -> EndpointResponse {
        let (title, detail) = PageText.error(of: status)
        var page = Page(
            title: title,
            content: """
                <p role="alert">\(Page.escaped(detail))</p>
                <p>\(Page.escaped(PageText.requestID)) <code>\(Page.escaped(requestID))</code></p>
                """)
        // An origin of its own: an error of one application must not end what its windows have to do with each other.
        page.sandbox = ""
        return page.response(status: status, reason: .errorPage)
    }
}
