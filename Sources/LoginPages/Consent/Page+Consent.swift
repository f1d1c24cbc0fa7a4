import Model
import OAuthServer

/// A question whether an application gets access (RFC 6749 section 4.1.1).
package struct ConsentQuestion: Sendable {
    /// Display name of the application.
    package var client: String
    package var user: String
    /// What the application may do, in words.
    package var rights: [PageWords]
    /// Where the answer goes; nil for a program on the user's device.
    package var place: String?
    /// Address of the login with another account; nil for none.
    package var otherAccount: String?
    /// The code that a device shows, which gets the access in place of the browser; nil for none.
    package var deviceCode: String?
    /// Whether the application has registered itself, so that its name is only what it says.
    package var isUnverified = false
    /// The host that has the application's metadata; nil for another application.
    package var origin: String?

    package init(
        client: String, user: String, rights: [PageWords], place: String?, otherAccount: String? = nil
    ) {
        self.client = client
        self.user = user
        self.rights = rights
        self.place = place
        self.otherAccount = otherAccount
    }
}

extension Page {
    /// Name and values of the buttons of the consent page.
    package enum Decision: String, Sendable {
        case approve, deny

        package static let name = "decision"
    }

    /// Asks the user for consent.
    ///
    /// - Parameters:
    ///   - action: path that the form is posted to.
    ///   - ticket: the sealed `LoginTicket`.
    ///   - fields: hidden fields.
    package static func consent(
        _ question: ConsentQuestion, action: String, ticket: String, fields: [(String, String)]
    ) -> Page {
        Page(title: .text(.consentTitle, [.client: question.client]), way: .content) { say in
            let items = question.rights.map { "<li>\(say($0))</li>\n" }
            let other = question.otherAccount.map { "\n<p><a href=\"\(escaped($0))\">\(say(.otherAccount))</a></p>" }
            let origin = question.origin.map { say(.unverifiedFrom, [.place: $0]) }
            let warning = question.isUnverified ? "<p>\(origin ?? say(.unverified))</p>\n" : ""
            return """
                <p>\(say(.signedInAs, [.user: question.user]))</p>
                <p id="rights">\(say(.rights))</p>
                <ul role="list" aria-labelledby="rights">
                \(items.joined())</ul>
                \(warning)\(destination(of: question, say))
                \(opening(action: action, ticket: ticket))
                \(Page.hidden(fields))<button type="submit" name="\(Decision.name)" value="\(Decision.approve.rawValue)">\
                \(say(.approve))</button>
                <button class="second" type="submit" name="\(Decision.name)" value="\(Decision.deny.rawValue)">\
                \(say(.deny))</button>
                </form>\(other ?? "")
                """
        }
    }

    private static func destination(of question: ConsentQuestion, _ say: PageLanguage) -> String {
        if let code = question.deviceCode {
            return
                "<p>\(say(.deviceShows)) <strong dir=\"ltr\">\(escaped(code))</strong></p>\n<p>\(say(.deviceWarning))</p>"
        }
        return "<p>\(question.place.map { say(.answerGoesTo, [.place: $0]) } ?? say(.answerStaysHere))</p>"
    }
}

extension PageWords {
    /// What the tokens of a client allow: its scopes, and what it may do in the user's name beside them.
    package static func rights(
        of client: Client, _ scopes: [String], _ settings: TokenServiceSettings
    ) -> [PageWords] {
        let named = scopes.map { right($0, settings.terms.scopeDescriptions) }
        let hasAllRoles = !client.isRegistered || settings.registration?.isTrustedByRoutes == true
        return (named.isEmpty ? [.text(.rightToKnow)] : named) + [.text(hasAllRoles ? .rightToAct : .rightToUse)]
    }

    /// What a scope allows.
    /// - Parameter descriptions: of the configuration, by scope.
    private static func right(_ scope: String, _ descriptions: [String: String]) -> PageWords {
        descriptions[scope].map(PageWords.verbatim) ?? PageText.right(scope).map { .text($0) } ?? .verbatim(scope)
    }
}

extension PageText {
    /// What a scope of OpenID Connect allows; nil for another one.
    fileprivate static func right(_ scope: String) -> PageText? {
        switch scope {
        case "openid": .rightToKnow
        case "profile": .rightProfile
        case "email": .rightEmail
        default: nil
        }
    }
}
