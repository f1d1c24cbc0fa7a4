/// What an operator sets for the gateway's pages: name, logo, colour, links and texts.
package struct PageSettings: Sendable {
    /// Shown above the title, and in the title of the window; nil for none.
    package var productName: String?
    package var logo: PageLogo?
    /// The logo on a dark page; nil for the same.
    package var darkLogo: PageLogo?
    /// Colour of buttons and links; nil for the gateway's own.
    package var accent: PageColor?
    package var links: [PageLink]
    package var languages: PageLanguages

    package init(
        productName: String? = nil, logo: PageLogo? = nil, darkLogo: PageLogo? = nil, accent: PageColor? = nil,
        links: [PageLink] = [], languages: PageLanguages = PageLanguages()
    ) {
        self.productName = productName
        self.logo = logo
        self.darkLogo = darkLogo
        self.accent = accent
        self.links = links
        self.languages = languages
    }
}

/// A link at the end of all pages.
package struct PageLink: Sendable, Equatable {
    package let text: PageText
    /// An absolute `http` or `https` URL, or an absolute path.
    package let target: String

    package init(_ text: PageText, to target: String) {
        self.text = text
        self.target = target
    }
}
