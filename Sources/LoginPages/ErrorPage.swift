import Endpoints
import Model

/// The page for a browser that receives an error of the gateway.
package enum ErrorPage {
    /// - Parameter requestID: id of the request in the log.
    package static func response(status: Int, requestID: String) -> EndpointResponse {
        let (title, detail) = PageText.error(of: status)
        var page = Page(
            title: title,
            content: """
                <p role="alert">\(Page.escaped(detail))</p>
                <p>Request: <code>\(Page.escaped(requestID))</code></p>
                """)
        // Sandboxed: `Cross-Origin-Opener-Policy` on an error page would cut the application's ties between its
        // windows.
        page.sandbox = ""
        return page.response(status: status, reason: .errorPage)
    }
}
