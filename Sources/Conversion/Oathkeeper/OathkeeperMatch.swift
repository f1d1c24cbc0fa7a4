import Model

/// Which requests an access rule of Oathkeeper matches: methods, hosts and paths of `match`.
struct OathkeeperMatch {
    /// The requests of one alternative of the URL.
    struct Part {
        /// Nil for any host.
        var host: String?
        var paths: PathLanguage
    }

    var parts: [Part] = []
    /// Whether `parts` serve all requests that the rule matches.
    var isExact: Bool { parts.allSatisfy(\.paths.isExact) }
    /// The origin, where it is one literal text.
    private(set) var origin: String?

    /// - Parameter isGlob: whether the texts in `<>` are globs, and not regular expressions.
    /// - Returns: nil for a URL whose `<` and `>` do not belong together.
    init?(_ url: String, isGlob: Bool) {
        guard let pieces = Self.pieces(url) else { return nil }
        var tokens: [PathToken] = []
        for (text, isExpression) in pieces {
            if !isExpression {
                tokens += PathToken.literal(text)
            } else {
                let read = isGlob ? Self.glob(text) : PathRegex.tokens(text)
                tokens += Self.hasEnd(read) ? [.unknown(hasSlash: true)] : read
            }
        }
        guard let sequences = PathToken.alternatives(tokens) else {
            parts = [Part(host: nil, paths: .unknown)]
            return
        }
        parts = sequences.flatMap { Self.parts(of: $0[...]) }
        if sequences.count == 1, pieces.first?.isExpression == false, let start = pieces.first?.text {
            let words = start.split(separator: "/", omittingEmptySubsequences: false)
            if words.count > 3 { origin = words.prefix(3).joined(separator: "/") }
        }
    }

    /// Literal texts, and the texts in `<>`, in which further `<>` may stand.
    private static func pieces(_ url: String) -> [(text: String, isExpression: Bool)]? {
        var pieces: [(text: String, isExpression: Bool)] = []
        var (depth, text) = (0, "")
        for character in url {
            switch character {
            case "<":
                if depth == 0 {
                    pieces.append((text, false))
                    text = ""
                } else {
                    text.append(character)
                }
                depth += 1
            case ">":
                depth -= 1
                if depth < 0 { return nil }
                if depth == 0 {
                    pieces.append((text, true))
                    text = ""
                } else {
                    text.append(character)
                }
            default: text.append(character)
            }
        }
        return depth == 0 ? pieces + [(text, false)] : nil
    }

    private static func hasEnd(_ tokens: [PathToken]) -> Bool {
        tokens.contains { token in
            if case .choice(let choices) = token { return choices.contains(where: hasEnd) }
            return token == .end
        }
    }

    /// A glob with the separators `.` and `/`, as Oathkeeper compiles it: `*` stands for a text without these two.
    private static func glob(_ text: String) -> [PathToken] {
        if text == "**" { return [.any] }
        if text.hasPrefix("{"), text.hasSuffix("}") {
            let words = text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false)
            if words.allSatisfy({ !$0.contains(where: { "*?[]{}!\\".contains($0) }) }) {
                return [.choice(words.map { PathToken.literal($0) })]
            }
        }
        if !text.contains(where: { "*?[]{}!\\".contains($0) }) { return PathToken.literal(text) }
        return [.unknown(hasSlash: text.contains("**") || text.contains(where: { "[{\\".contains($0) }))]
    }

    // MARK: Parts

    private static let separator = PathToken.literal("://")

    private static func parts(of sequence: ArraySlice<PathToken>) -> [Part] {
        if sequence.elementsEqual([.any]) {
            return [Part(host: nil, paths: PathLanguage(served: [.all], cover: [.all]))]
        }
        let unknown = [Part(host: nil, paths: .unknown)]
        guard let scheme = sequence.indices.first(where: { sequence[$0...].starts(with: separator) }) else {
            // Every URL has the separator: a literal text without it matches none.
            return sequence.contains(where: { $0.character == nil }) ? unknown : []
        }
        let rest = sequence[(scheme + separator.count)...]
        let end = rest.firstIndex(of: .character("/")) ?? rest.endIndex
        // A dot of a regular expression is meant for that of the name: `<127.0.0.1|localhost>`. Other hosts that it fits have
        // no route of this rule.
        let authority = rest[..<end].map { $0 == .anyCharacter ? .character(".") : $0 }[...]
        let path = rest[end...]
        let isCrossing = authority.contains(where: \.mayHaveSlash)
        if path.isEmpty {
            // Of `host<.*>`, which is `host.example.com` too, all paths of the host itself.
            guard isCrossing else { return [] }
            let name = authority.dropLast()
            guard authority.last == .any, let host = host(of: name), let host else { return unknown }
            return [Part(host: host, paths: PathLanguage(served: [.all], cover: [.all]))] + unknown
        }
        var paths = PathLanguage(Array(path), isAnchoredAtEnd: true)
        // Oathkeeper removes the slash at the end of a path before it compares.
        paths.served.removeAll(where: hasSlashAtEnd)
        paths.cover.removeAll(where: hasSlashAtEnd)
        if authority.elementsEqual([.any]) || authority.elementsEqual([.some]) {
            // The text may be a host with a part of the path.
            return [Part(host: nil, paths: paths)] + unknown
        }
        if isCrossing { return unknown }
        guard let host = host(of: authority) else {
            return [Part(host: nil, paths: PathLanguage(cover: paths.cover, isExact: false))]
        }
        return [Part(host: host, paths: paths)]
    }

    private static func hasSlashAtEnd(_ shape: PathShape) -> Bool {
        shape.segments.count > 1 && shape.segments.last == .literal("")
    }

    /// The host of an authority, without its port; nil for any host, and no value for hosts that have no such form.
    private static func host(of authority: ArraySlice<PathToken>) -> String?? {
        if authority.count == 1, case .segment? = authority.first { return .some(nil) }
        let isBracketed = authority.first == .character("[")
        let end =
            isBracketed
            ? authority.firstIndex(of: .character("]")).map { $0 + 1 } ?? authority.endIndex
            : authority.firstIndex(of: .character(":")) ?? authority.endIndex
        let name = authority[..<end].compactMap(\.character)
        guard name.count == end - authority.startIndex, let pattern = HostPattern(String(name)), !pattern.isWildcard
        else { return nil }
        return .some("\(pattern)")
    }
}
