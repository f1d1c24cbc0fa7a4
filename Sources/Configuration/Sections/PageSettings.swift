import Model

/// What an operator sets for the gateway's pages: name, logo, colour, links and texts.
package struct PageSettings: Sendable {
    /// Shown above the title, and in the title of the window; nil for none.
    package var productName: String?
    /// A `data:` URL (RFC 2397) of an image.
    package var logo: String?
    /// The logo on a dark page; nil for the same.
    package var darkLogo: String?
    /// Colour of buttons and links; nil for the gateway's own.
    package var accent: PageColor?
    /// Absolute `http` or `https` URLs, or absolute paths, by name of their text.
    package var links: [(text: String, target: String)] = []
    /// Texts by name, in addition to those in English and German.
    package var texts: [LanguageTag: [String: PageTemplate]] = [:]
    package var language = LanguageTag.english
}
