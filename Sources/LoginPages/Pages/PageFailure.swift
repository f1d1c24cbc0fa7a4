import Endpoints
import Model

/// A failure that is explained on a page.
package protocol PageFailure: EndpointFailure {
    var text: PageText { get }
}

extension PageFailure {
    package var detail: String { PageLanguage.english.plain(.text(text)) }
    package var shape: EndpointResponse { Page.failure(self) }
}
