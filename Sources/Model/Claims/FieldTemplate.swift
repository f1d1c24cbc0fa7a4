import Bytes

/// The value of a field that the gateway writes: text, and placeholders from a closed list.
///
/// `${user}`, `${roles}`, `${client_ip}`, `${request_id}`, `${userinfo}` and `${claim.PATH}` differ from request to request. `${env.NAME}` and
/// `${secret.KEY}` are text from the time of loading on. `$${` stands for `${`.
package struct FieldTemplate: Hashable, Sendable {
    package enum Piece: Hashable, Sendable {
        /// Visible ASCII and blanks.
        case text(String)
        /// The name of the user or client.
        case user
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
    package static let placeholders = ["user", "roles", "client_ip", "request_id", "userinfo"]
    /// The beginnings of the others.
    package static let families = ["claim.", "env.", "secret."]

    package let pieces: [Piece]

    /// - Parameter constant: the value of `env.NAME` or `secret.KEY`; nil if there is none.
    package init(_ text: String, constant: (String) -> String?) throws(Problem) {
        guard !text.isEmpty else { throw .empty }
        guard FieldTemplate.isValue(text) else { throw .character }
        var pieces: [Piece] = []
        func append(_ text: some StringProtocol) {
            if text.isEmpty { return }
            if case .text(let before)? = pieces.last {
                pieces[pieces.count - 1] = .text(before + text)
            } else {
                pieces.append(.text(String(text)))
            }
        }
        var rest = text[...]
        while let dollar = rest.firstRange(of: "${") {
            if rest[..<dollar.lowerBound].last == "$" {
                append(rest[..<dollar.lowerBound].dropLast())
                append("${")
                rest = rest[dollar.upperBound...]
                continue
            }
            append(rest[..<dollar.lowerBound])
            rest = rest[dollar.upperBound...]
            // Variables of the environment have been replaced before: what looks like one is text.
            if let first = rest.utf8.first,
                first == UInt8(ascii: "_") || (UInt8(ascii: "A")...UInt8(ascii: "Z")) ~= first
            {
                append("${")
                continue
            }
            guard let end = rest.firstIndex(of: "}") else { throw .open }
            let name = String(rest[..<end])
            rest = rest[rest.index(after: end)...]
            switch name {
            case "user": pieces.append(.user)
            case "roles": pieces.append(.roles)
            case "client_ip": pieces.append(.clientIP)
            case "request_id": pieces.append(.requestID)
            case "userinfo": pieces.append(.userinfo)
            case _ where name.hasPrefix("claim."):
                do throws(ClaimPath.Problem) {
                    pieces.append(.claim(try ClaimPath(String(name.dropFirst("claim.".count)))))
                } catch {
                    throw .claim(name, error)
                }
            case _ where name.hasPrefix("env.") || name.hasPrefix("secret."):
                guard let value = constant(name), FieldTemplate.isValue(value) else { throw .constant(name) }
                append(value)
            default: throw .unknown(name)
            }
        }
        append(rest)
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
            case .user, .roles, .clientIP, .claim, .userinfo: true
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
