import Bytes
import Identity

/// The page on which users choose where they log in.
extension Page {
    /// A link for each way. None of them is more than a GET: what it leads to is bound to the browser there.
    ///
    /// - Parameters:
    ///   - service: what people know the place by that they sign in to; nil for nothing.
    ///   - choices: what each way is called, and path and query that it is at.
    package static func choice(to service: String?, of choices: [(text: String, target: String)]) -> Page {
        let items = choices.map { text, target in
            "<li><a href=\"\(escaped(target))\">\(escaped(text))</a></li>\n"
        }
        // Without its marks some browsers take a list for none, but for the role.
        return Page(
            title: service.map(PageText.signIn(to:)) ?? PageText.signIn,
            content: """
                <p id="ways">\(escaped(PageText.chooseWay))</p>
                <ul role="list" aria-labelledby="ways">
                \(items.joined())</ul>
                """)
    }
}

extension LoginChoice {
    package var isOwnForm: Bool { provider.isExactly(LoginChoice.ownForm) }

    /// What the page calls it.
    package var text: String { title ?? (isOwnForm ? PageText.ownForm : provider) }
}

extension [LoginChoice] {
    /// The one that somebody has chosen, if it is one of them; the only one, whatever he says. Nil where it is still to be
    /// chosen.
    package func chosen(_ name: String?) -> LoginChoice? {
        if count == 1 { return self[0] }
        return name.flatMap { name in first { $0.name.isExactly(name) } }
    }
}
