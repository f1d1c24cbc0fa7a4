/// A challenge of any scheme (RFC 9110 section 11.3), whose parameters may have placeholders from a closed list.
package struct ChallengeRule: Hashable, Sendable {
    package enum Piece: Hashable, Sendable {
        /// Visible ASCII and blanks.
        case text(String)
        /// Name of the Webgate, or `portcullis`.
        case realm
        /// Level that the route requires.
        case level
        /// Scopes that the route requires.
        case scope
        /// The `error` of RFC 6750, where a token was sent.
        case error
        case requestID
    }

    package enum Value: Hashable, Sendable {
        /// Written without quotes.
        case token(String)
        /// Written as a quoted string; the parameter is left out where a placeholder has no value.
        case text([Piece])
    }

    package struct Parameter: Hashable, Sendable {
        package let name: String
        package let value: Value

        package init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }
    }

    package let scheme: String
    /// In this order.
    package let parameters: [Parameter]

    package static let placeholders = ["realm", "level", "scope", "error", "request_id"]

    package init(scheme: String, parameters: [Parameter] = []) {
        self.scheme = scheme
        self.parameters = parameters
    }

    /// Why a text is no value of a parameter.
    package enum Problem: Error, Sendable {
        case character
        /// `${` without `}`.
        case open
        case unknown(String)
    }

    /// The parts of a parameter's text.
    package static func pieces(_ text: String) throws(Problem) -> [Piece] {
        guard text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) else { throw .character }
        guard let parts = TemplatePart.split(text) else { throw .open }
        var pieces: [Piece] = []
        for part in parts {
            switch part {
            case .text(let text): pieces.append(.text(text))
            case .placeholder("realm"): pieces.append(.realm)
            case .placeholder("level"): pieces.append(.level)
            case .placeholder("scope"): pieces.append(.scope)
            case .placeholder("error"): pieces.append(.error)
            case .placeholder("request_id"): pieces.append(.requestID)
            case .placeholder(let name): throw .unknown(name)
            }
        }
        return pieces
    }
}
