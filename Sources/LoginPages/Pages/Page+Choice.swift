import Bytes
import Model

/// The page for choosing a login option.
extension Page {
    /// Links to the options. Plain GETs suffice: the login is bound to the browser at its target.
    ///
    /// - Parameters:
    ///   - service: title of the service that the user logs in to; nil for none.
    ///   - choices: title of each option, and its path and query.
    package static func choice(to service: String?, of choices: [(words: PageWords, target: String)]) -> Page {
        Page(title: title(of: service), way: .content) { say in
            let items = choices.map { words, target in
                "<li><a href=\"\(escaped(target))\">\(say(words))</a></li>\n"
            }
            // Some browsers do not expose a list without markers as a list, unless it has the role.
            return """
                <p id="ways">\(say(.chooseWay))</p>
                <ul role="list" aria-labelledby="ways">
                \(items.joined())</ul>
                """
        }
    }
}

extension LoginChoice {
    package var isOwnForm: Bool { provider.isExactly(LoginChoice.ownForm) }

    /// Title shown to the user.
    package var words: PageWords {
        title.map(PageWords.verbatim) ?? (isOwnForm ? .text(.ownForm) : .verbatim(provider))
    }
}

extension [LoginChoice] {
    /// The requested option if it exists; the only one regardless of the request. Nil if the user must choose.
    package func chosen(_ name: String?) -> LoginChoice? {
        if count == 1 { return self[0] }
        return name.flatMap { name in first { $0.name.isExactly(name) } }
    }
}
