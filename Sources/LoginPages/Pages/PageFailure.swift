import Endpoints
import Model

/// A failure that is explained on a page.
package protocol PageFailure: EndpointFailure {
    var text: PageText { get }
    /// How users go on, where nothing better is known.
    var way: Page.Link { get }
}

extension PageFailure {
    package var detail: String { PageLanguage.english.plain(.text(text)) }
    package var way: Page.Link { .start }
    package var shape: EndpointResponse { page(way) }

    /// The page with another way on.
    package func response(_ way: Page.Link) -> EndpointResponse { completed(page(way)) }

    private func page(_ way: Page.Link) -> EndpointResponse {
        Page.failure(text, link: way).response(status: status, reason: reason)
    }
}
