import Bytes

/// The value of a field that the gateway writes: text, and placeholders from a closed list.
///
/// `${user}`, `${issuer}`, `${roles}`, `${client_ip}`, `${request_id}`, `${userinfo}` and `${claim.PATH}` differ from request to
/// request. `${env.NAME}` and `${secret.KEY}` are text from the time of loading on. `$${` stands for `${`.
package struct FieldTemplate: Hashable, Sendable {
    package enum Piece: Hashable, Sendable {
        /// Visible ASCII and blanks.
        case text(String)
        /// The name of the user or client.
        case user
        /// The name of the issuer of the caller's credential, `local` for the gateway itself.
        case issuer
        /// The roles, with commas between them.
        case roles
        case clientIP
        case requestID
        case claim(ClaimPath)
        /// All claims, as Base64 of a JSON object.
        case userinfo
    }

    /// What is wrong with a template.
    package enum Problem: Error, Sendable {
        case empty
        /// A byte that is no visible ASCII, or a blank at an end.
        case character
        /// `${` without `}`.
        case open
        case unknown(String)
        case claim(String, ClaimPath.Problem)
        /// A variable or secret that has no value which a field may have.
        case constant(String)
    }

    /// The placeholders without a name of their own behind them.
    package static let placeholders = ["user", "issuer", "roles", "client_ip", "request_id", "userinfo"]
    /// The beginnings of the others.
    package static let families = ["claim.", "env.", "secret."]

    package let pieces: [Piece]

    /// - Parameter constant: the value of `env.NAME` or `secret.KEY`; nil if there is none.
    package init(_ text: String, constant: (String) -> String?) throws(Problem) {
        guard !text.isEmpty else { throw .empty }
        guard FieldTemplate.isValue(text) else { throw .character }
        var pieces: [Piece] = []
        func append(_ text: String) {
            if text.isEmpty { return }
            if case .text(let before)? = pieces.last {
                pieces[pieces.count - 1] = .text(before + text)
            } else {
                pieces.append(.text(text))
            }
        }
        guard let parts = TemplatePart.split(text) else { throw .open }
        for part in parts {
            switch part {
            case .text(let text): append(text)
            case .placeholder("user"): pieces.append(.user)
            case .placeholder("issuer"): pieces.append(.issuer)
            case .placeholder("roles"): pieces.append(.roles)
            case .placeholder("client_ip"): pieces.append(.clientIP)
            case .placeholder("request_id"): pieces.append(.requestID)
            case .placeholder("userinfo"): pieces.append(.userinfo)
            case .placeholder(let name) where name.hasPrefix("claim."):
                do throws(ClaimPath.Problem) {
                    pieces.append(.claim(try ClaimPath(String(name.dropFirst("claim.".count)))))
                } catch {
                    throw .claim(name, error)
                }
            case .placeholder(let name) where name.hasPrefix("env.") || name.hasPrefix("secret."):
                guard let value = constant(name), FieldTemplate.isValue(value) else { throw .constant(name) }
                append(value)
            case .placeholder(let name): throw .unknown(name)
            }
        }
        self.pieces = pieces
    }

    /// The claims that it needs.
    package var claims: [ClaimPath] {
        pieces.compactMap { if case .claim(let path) = $0 { path } else { nil } }
    }

    /// Whether it says who is calling, so that clients must not send its field.
    package var isIdentity: Bool {
        pieces.contains { piece in
            switch piece {
            case .user, .issuer, .roles, .clientIP, .claim, .userinfo: true
            case .text, .requestID: false
            }
        }
    }

    /// RFC 9110 section 5.5, without obsolete text.
    private static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= ASCII.space && $0 < 0x7f } && text.utf8.first != ASCII.space
            && text.utf8.last != ASCII.space
    }
}
