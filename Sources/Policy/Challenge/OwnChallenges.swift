import Bytes
import Model

/// Challenges that a scheme of the configuration has in place of `Bearer` and `Basic`, with the constants of a route.
struct OwnChallenges: Sendable {
    private enum Piece {
        /// Escaped for a quoted string.
        case text([UInt8])
        case error, requestID
    }

    private struct Parameter {
        /// Name and `=`.
        let label: [UInt8]
        let isQuoted: Bool
        let pieces: [Piece]
    }

    private struct Challenge {
        let scheme: [UInt8]
        let parameters: [Parameter]
    }

    private let challenges: [Challenge]

    init(_ rules: [ChallengeRule], realm: String, level: Int, scope: String) {
        challenges = rules.map { rule in
            Challenge(
                scheme: Array(rule.scheme.utf8),
                parameters: rule.parameters.compactMap { parameter in
                    let label = Array("\(parameter.name)=".utf8)
                    switch parameter.value {
                    case .token(let token):
                        return Parameter(label: label, isQuoted: false, pieces: [.text(Array(token.utf8))])
                    case .text(let pieces):
                        // Left out, since it would require nothing.
                        if pieces.contains(.scope), scope.isEmpty { return nil }
                        return Parameter(
                            label: label, isQuoted: true,
                            pieces: pieces.map { piece in
                                switch piece {
                                case .text(let text): .text(OwnChallenges.escaped(text.utf8))
                                case .realm: .text(OwnChallenges.escaped(realm.utf8))
                                case .level: .text(Array(String(level).utf8))
                                case .scope: .text(OwnChallenges.escaped(scope.utf8))
                                case .error: .error
                                case .requestID: .requestID
                                }
                            })
                    }
                })
        }
    }

    /// Appends the values, each but the first in a field of its own: many clients read one challenge of a field alone.
    func append(to chunk: Chunk, reason: Reason, requestID: Span<UInt8>) {
        for i in challenges.indices {
            if i > 0 { chunk.append("\r\nWWW-Authenticate: ") }
            chunk.append(challenges[i].scheme)
            var isFirst = true
            for parameter in challenges[i].parameters {
                let start = chunk.count
                chunk.append(isFirst ? " " : ", ")
                chunk.append(parameter.label)
                if parameter.isQuoted { chunk.append(ASCII.quote) }
                var isWhole = true
                for piece in parameter.pieces {
                    switch piece {
                    case .text(let text): chunk.append(text)
                    case .error:
                        if let error = reason.token.code { chunk.append(error) } else { isWhole = false }
                    case .requestID: OwnChallenges.append(escaping: requestID, to: chunk)
                    }
                }
                if parameter.isQuoted { chunk.append(ASCII.quote) }
                if isWhole { isFirst = false } else { chunk.truncate(to: start) }
            }
        }
    }

    /// RFC 9110 section 5.6.4
    private static func escaped(_ text: String.UTF8View) -> [UInt8] {
        text.flatMap { $0 == ASCII.quote || $0 == ASCII.backslash ? [ASCII.backslash, $0] : [$0] }
    }

    private static func append(escaping text: Span<UInt8>, to chunk: Chunk) {
        for i in text.indices {
            if text[i] == ASCII.quote || text[i] == ASCII.backslash { chunk.append(ASCII.backslash) }
            chunk.append(text[i])
        }
    }
}
