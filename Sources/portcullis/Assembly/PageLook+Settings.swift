import Configuration
import LoginPages
import Model

extension PageLook {
    /// - Parameter settings: nil for the gateway's own look.
    init(_ settings: PageSettings?) {
        guard let settings else {
            self = .standard
            return
        }
        let texts = settings.texts.mapValues { texts in
            Dictionary(
                uniqueKeysWithValues: texts.compactMap { name, text in PageText(rawValue: name).map { ($0, text) } })
        }
        self.init(
            name: settings.productName, logo: settings.logo, darkLogo: settings.darkLogo, accent: settings.accent,
            links: settings.links.compactMap { link in
                PageText(rawValue: link.text).map { Page.Link($0, to: link.target) }
            },
            languages: PageLanguages(texts, standard: settings.language))
    }
}
