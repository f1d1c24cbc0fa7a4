import Bytes

/// The text of an answer to an error, or the target of its redirect: text, and placeholders from a closed list, whose values
/// are escaped for the place.
///
/// `${status}`, `${reason}`, `${message}` and `${path}` describe the error; `${user}`, `${issuer}`, `${roles}`,
/// `${client_ip}`, `${request_id}` and `${claim.PATH}` describe its request. `${env.NAME}` is text from the time of loading on. `$${`
/// stands for `${`.
package struct ErrorTemplate: Hashable, Sendable {
    package enum Piece: Hashable, Sendable {
        case text(String)
        case status, reason, message, path, user, issuer, roles, clientIP, requestID
        case claim(ClaimPath)
    }

    /// What is wrong with a template.
    package enum Problem: Error, Sendable {
        /// `${` without `}`.
        case open
        case unknown(String)
        case claim(String, ClaimPath.Problem)
        /// A variable that has no value.
        case constant(String)
        /// A placeholder where escaping does not help, by its name.
        case place(String)
        /// With all placeholders filled it is no JSON.
        case json
        /// The target of a redirect is no URL whose scheme and host are fixed.
        case location
    }

    package static let placeholders = [
        "status", "reason", "message", "path", "user", "issuer", "roles", "client_ip", "request_id",
    ]
    /// The beginnings of the others.
    package static let families = ["claim.", "env."]

    package let pieces: [Piece]
    package let escaping: ErrorEscaping

    /// The text of a body.
    ///
    /// - Parameters:
    ///   - contentType: of the body.
    ///   - constant: the value of `env.NAME`; nil if there is none.
    package init(_ text: String, contentType: String, constant: (String) -> String?) throws(Problem) {
        let escaping = ErrorEscaping(contentType: contentType)
        self.escaping = escaping ?? .plain
        pieces = try ErrorTemplate.pieces(text, self.escaping, constant)
        switch escaping {
        case .markup: try checkPlaces()
        case .json: if (try? JSONNode.parse(Array(filled.utf8).span)) == nil { throw .json }
        case .plain, .url: break
        case nil: if let name = firstPlaceholder { throw .place(name) }
        }
    }

    /// The target of a redirect. Its scheme and host, or the slash in front of a path of the same host, are fixed; values of
    /// the request stand in the query.
    package init(location text: String, constant: (String) -> String?) throws(Problem) {
        escaping = .url
        pieces = try ErrorTemplate.pieces(text, .url, constant)
        var before = ""
        for piece in pieces {
            if case .text(let text) = piece {
                before += text
                continue
            }
            if !before.contains("?") {
                // Status and reason consist of digits, lower-case letters and underscores.
                guard piece == .status || piece == .reason else { throw .place(piece.name) }
                let rest = before.firstRange(of: "://").map { before[$0.upperBound...] } ?? before[...]
                guard rest.contains("/") else { throw .place(piece.name) }
            }
            before += "x"
        }
        guard !before.contains("\\"), before.utf8.allSatisfy({ $0 > ASCII.space && $0 < 0x7f }),
            RedirectURL(before) != nil
        else { throw .location }
    }

    private static func pieces(
        _ text: String, _ escaping: ErrorEscaping, _ constant: (String) -> String?
    ) throws(Problem) -> [Piece] {
        guard let parts = TemplatePart.split(text) else { throw .open }
        var pieces: [Piece] = []
        for part in parts {
            switch part {
            case .text(let text): pieces.append(.text(text))
            case .placeholder("client_ip"): pieces.append(.clientIP)
            case .placeholder("request_id"): pieces.append(.requestID)
            case .placeholder("status"): pieces.append(.status)
            case .placeholder("reason"): pieces.append(.reason)
            case .placeholder("message"): pieces.append(.message)
            case .placeholder("path"): pieces.append(.path)
            case .placeholder("user"): pieces.append(.user)
            case .placeholder("issuer"): pieces.append(.issuer)
            case .placeholder("roles"): pieces.append(.roles)
            case .placeholder(let name) where name.hasPrefix("claim."):
                do throws(ClaimPath.Problem) {
                    pieces.append(.claim(try ClaimPath(String(name.dropFirst("claim.".count)))))
                } catch {
                    throw .claim(name, error)
                }
            case .placeholder(let name) where name.hasPrefix("env."):
                guard let value = constant(name) else { throw .constant(name) }
                // A target may begin with a variable; it is checked as a whole.
                pieces.append(.text(escaping == .url ? value : escaping.escaped(value)))
            case .placeholder(let name): throw .unknown(name)
            }
        }
        return pieces
    }

    private func checkPlaces() throws(Problem) {
        var place = MarkupContext()
        for piece in pieces {
            if case .text(let text) = piece {
                place.advance(over: text)
            } else if !place.takesValues {
                throw .place(piece.name)
            }
        }
    }

    /// The claims that it needs.
    package var claims: [ClaimPath] {
        pieces.compactMap { if case .claim(let path) = $0 { path } else { nil } }
    }

    private var firstPlaceholder: String? {
        pieces.lazy.compactMap { if case .text = $0 { nil } else { $0.name } }.first
    }

    /// The text with a value for each placeholder.
    private var filled: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .status: "403"
            default: "x"
            }
        }.joined()
    }
}

extension ErrorTemplate.Piece {
    /// The name of the placeholder; empty for text.
    var name: String {
        switch self {
        case .text: ""
        case .status, .reason, .message, .path, .user, .issuer, .roles: "\(self)"
        case .clientIP: "client_ip"
        case .requestID: "request_id"
        case .claim(let path): "claim.\(path.text)"
        }
    }
}

extension ErrorEscaping {
    fileprivate func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
