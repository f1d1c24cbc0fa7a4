import Bytes
import Endpoints
import HTTP
import Model
import Outbound

/// The operator's look of the pages, in all languages.
package struct PageLook: Sendable {
    /// Shown above the title, and in the title of the window; nil for none.
    let name: String?
    private let links: [Page.Link]
    private let languages: PageLanguages
    let style: PageStyle
    /// The logo as HTML; nil for none.
    private let logo: String?
    private let isStandard: Bool
    /// Where links to the start page lead; nil to leave them out.
    package var start: String? = "/"

    /// Without settings, in English and German.
    package static let standard = PageLook(isStandard: true)

    /// - Parameters:
    ///   - logo: URL of an image.
    ///   - darkLogo: that of the image on a dark page; nil for the same.
    ///   - accent: colour of buttons and links; nil for the gateway's own.
    ///   - links: at the end of all pages, to absolute URLs or paths.
    ///   - isStandard: whether these are the defaults.
    package init(
        name: String? = nil, logo: String? = nil, darkLogo: String? = nil, accent: PageColor? = nil,
        links: [Page.Link] = [], languages: PageLanguages = PageLanguages(), isStandard: Bool = false
    ) {
        self.name = name
        self.links = links
        self.languages = languages
        self.isStandard = isStandard
        style = PageStyle(accent: accent)
        // The name of the product is what the image shows.
        let image = logo.map { "<img src=\"\($0)\" alt=\"\(Page.escaped(name ?? ""))\">" }
        self.logo = image.map { image in
            guard let darkLogo else { return image }
            return "<picture><source srcset=\"\(darkLogo)\" media=\"(prefers-color-scheme: dark)\">\(image)</picture>"
        }
    }

    var hasLogo: Bool { logo != nil }

    /// The tags of all languages, for `ui_locales_supported`.
    package var tags: [String] { languages.all.map(\.tag.description) }

    /// What stands above the title: the logo, or the name in its place.
    func heading(showsLogo: Bool) -> String {
        let mark = (showsLogo ? logo : nil) ?? name.map { Page.escaped($0) }
        return mark.map { "<p class=\"brand\">\($0)</p>\n" } ?? ""
    }

    /// The links below the page.
    func footer(_ language: PageLanguage) -> String {
        guard !links.isEmpty else { return "" }
        let items = links.map { link in
            "<a href=\"\(Page.escaped(link.target))\">\(language(link.words))</a>"
        }
        return "\n<footer>\(items.joined(separator: "\n"))</footer>"
    }

    // MARK: Answers

    /// Handlers whose pages have this look, in the languages of their browsers.
    package func dressing(_ handlers: [EndpointDescriptor: EndpointHandler]) -> [EndpointDescriptor: EndpointHandler] {
        handlers.mapValues { handler in
            { request, now in handler(request, now).map { dressed($0, for: request) } }
        }
    }

    private func dressed(_ response: EndpointResponse, for request: EndpointRequest) -> EndpointResponse {
        guard var page = response.page as? Page else { return response }
        var response = response
        if page.isFailure {
            page.requestID = request.requestID
            response.page = page
        }
        let fields = request.fields.filter { $0.name.isExactly("accept-language") }.map(\.value)
        return dressed(response, accepting: fields.joined(separator: ","))
    }

    /// A page with this look; other responses unchanged.
    /// - Parameter languages: the value of `Accept-Language`; empty for none.
    package func dressed(_ response: EndpointResponse, accepting languages: String) -> EndpointResponse {
        guard let page = response.page as? Page else { return response }
        let language = self.languages.language(
            for: page.languages + AcceptLanguage.preferences(languages))
        if isStandard, start == "/", language.tag == .english, page.requestID == nil { return response }
        var response = response
        response.body = Array(page.html(self, language).utf8)
        for index in response.headers.indices {
            switch response.headers[index].name {
            case "Content-Language": response.headers[index].value = language.tag.description
            case "Content-Security-Policy": response.headers[index].value = page.policy(self)
            default: break
            }
        }
        return response
    }
}

extension EndpointResponse {
    /// A page in the first of these languages that there is, before those of the browser. A page that has languages
    /// already keeps them.
    package func preferring(_ languages: [LanguageTag]) -> EndpointResponse {
        guard !languages.isEmpty, var page = page as? Page, page.languages.isEmpty else { return self }
        page.languages = languages
        var response = self
        response.page = page
        return response
    }
}
