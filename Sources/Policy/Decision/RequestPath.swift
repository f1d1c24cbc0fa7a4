import Bytes
import HTTP
import Model

/// The path of a request in the form that its route wants.
package enum RequestPath {
    /// Canonicalises the path of a request as its route wants it.
    ///
    /// Which route it is depends on the path, and which spellings the path may have depends on the route. The path is
    /// matched with every spelling that some route keeps, and refused unless its own route keeps those that it has. Slashes
    /// that this route does not keep are merged. The step `secondReading` then compares the rules of all other readings.
    ///
    /// - Parameters:
    ///   - received: the path of the target, without its query.
    ///   - bytes: the buffer of `head` and `headers`.
    ///   - scratch: as `CanonicalPath.canonicalise` leaves it.
    package static func canonicalise(
        _ received: Span<UInt8>, _ policy: PolicySnapshot, bytes: Span<UInt8>, head: RequestHead, headers: HeaderTable,
        into scratch: Chunk
    ) -> CanonicalPath.Outcome {
        let kept = policy.routes.keptSpellings
        let outcome = CanonicalPath.canonicalise(received, keeping: kept, into: scratch)
        if kept.isEmpty { return outcome }
        if case .ambiguous = outcome { return outcome }
        let used = CanonicalPath.spellings(in: outcome == .unchanged ? received : scratch.readable)
        if used.isEmpty { return outcome }
        let path = [UInt8](copying: outcome == .unchanged ? received : scratch.readable)
        let own = spellings(keptAt: path.span, policy, bytes, head, headers)
        // RFC 3986 section 3.3: what begins with two slashes is read as a host by some.
        if used.isSubset(of: own), !path.starts(with: "//".utf8) { return outcome }
        guard used.contains(.emptySegments) else { return .ambiguous(used.subtracting(own).ambiguity) }
        let merged = CanonicalPath.canonicalise(received, keeping: kept.subtracting(.emptySegments), into: scratch)
        if case .ambiguous = merged { return merged }
        let rest = [UInt8](copying: merged == .unchanged ? received : scratch.readable)
        let others = spellings(keptAt: rest.span, policy, bytes, head, headers)
        // That route forwards paths as received, and would match another one here.
        if others.contains(.emptySegments) { return .ambiguous(.emptySegment) }
        let lacking = CanonicalPath.spellings(in: rest.span).subtracting(others)
        return lacking.isEmpty ? merged : .ambiguous(lacking.ambiguity)
    }

    /// Why the path of a request is refused before its route is known, for operators.
    static func ambiguity(
        _ policy: PolicySnapshot, bytes: Span<UInt8>, head: RequestHead, headers: HeaderTable
    ) -> String {
        let received = bytes.slice(head.path)
        let scratch = Chunk(capacity: 3 * received.count + 1)
        let outcome = canonicalise(received, policy, bytes: bytes, head: head, headers: headers, into: scratch)
        if case .ambiguous(let ambiguity) = outcome { return ambiguity.text }
        return "the other proxy forwards the path as received, with its \"//\", \".\" and \"..\""
    }

    /// The spellings that the route of a path keeps; none for what is no route.
    private static func spellings(
        keptAt path: Span<UInt8>, _ policy: PolicySnapshot, _ bytes: Span<UInt8>, _ head: RequestHead,
        _ headers: HeaderTable
    ) -> PathSpellings {
        switch policy.match(path: path, bytes: bytes, head: head, headers: headers) {
        case .route(let route), .methodNotAllowed(let route): route.entry.options.keptSpellings
        case .selection(let selection):
            selection.choose(bytes: bytes, head: head, headers: headers).route?.entry.options.keptSpellings ?? []
        case .endpoint, .notFound: []
        }
    }
}

extension PathSpellings {
    /// Why a path is refused whose route does not keep these.
    fileprivate var ambiguity: PathAmbiguity {
        if contains(.encodedSlash) { return .encodedSlash }
        if contains(.encodedBackslash) { return .encodedBackslash }
        return contains(.encodedPercent) ? .doubleEncoding : .emptySegment
    }
}

extension PathAmbiguity {
    /// For operators: the fault of the path, or the setting of its route that would allow it.
    package var text: String {
        switch self {
        case .notAbsolute: "the path does not begin with \"/\""
        case .encodedSlash: "\"%2F\" needs \"encodedSlashes\": \"keep\" of the route"
        case .encodedBackslash: "\"%5C\" needs \"encodedCharacters\": [\"%5C\"] of the route"
        case .encodedDot: "a segment decodes to \".\" or \"..\""
        case .encodedControl: "the path has an escape of a control character"
        case .doubleEncoding: "a double encoding needs \"encodedCharacters\": [\"%25\"] of the route"
        case .malformedEscape: "\"%\" without two hexadecimal digits"
        case .malformedText: "the path decodes to bytes that are not UTF-8"
        case .backslash: "the path has a backslash"
        case .illegalByte: "the path has a character that has to be escaped"
        case .dotSegmentParameter: "a segment begins with \";\", \".;\" or \"..;\""
        case .aboveRoot: "\"..\" leads above the root"
        case .dotsAfterEmptySegment: "\"..\" after \"//\""
        case .emptySegment: "\"//\" is not kept here: the path begins with it, or routes differ in \"mergeSlashes\""
        }
    }
}

/// Why a path is refused that the gateway itself reads in one way only.
package enum ReadingConflict: Sendable {
    /// Another reading is ambiguous in itself, or there are too many.
    case ambiguous
    /// Another reading leads to another route, or to none.
    case route(reading: [UInt8], name: String?)
    /// Another reading of the same route has another value for a variable.
    case variable(reading: [UInt8], name: String)
    /// The forwarded path begins with two slashes, which some take for the beginning of a host.
    case host

    /// What keeps a path from being forwarded because an upstream may read it in another way (`PathReadings`); nil for
    /// nothing. Allocates nothing for a plain path.
    ///
    /// - Parameters:
    ///   - route: what the path as it stands leads to.
    ///   - path: the canonical path.
    static func find(
        _ policy: PolicySnapshot, _ route: Route, path: Span<UInt8>, bytes: Span<UInt8>, head: RequestHead,
        headers: HeaderTable
    ) -> ReadingConflict? {
        let kept = route.entry.options.keptSpellings
        guard PathReadings.hasSeveral(path) || !kept.isEmpty && !CanonicalPath.spellings(in: path).isEmpty else {
            return nil
        }
        if !kept.isEmpty, let rewrite = route.rewrite, mayBeginWithHost(rewrite.path([UInt8](copying: path))) {
            return .host
        }
        guard let readings = PathReadings.others(of: path) else { return .ambiguous }
        for reading in readings {
            let other: Route?
            switch policy.match(path: reading.span, bytes: bytes, head: head, headers: headers) {
            case .route(let found): other = found
            case .selection(let selection):
                let (found, hasMethod) = selection.choose(bytes: bytes, head: head, headers: headers)
                other = hasMethod ? found : nil
            case .endpoint, .methodNotAllowed, .notFound: other = nil
            }
            guard other === route else { return .route(reading: reading, name: other?.name) }
            // Rules and policy servers decide by the value, which is nil for one that no rule accepts.
            for name in route.pattern.variableNames {
                guard let value = route.pattern.value(of: name, in: path) else { continue }
                if value != route.pattern.value(of: name, in: reading.span) {
                    return .variable(reading: reading, name: name)
                }
            }
        }
        return nil
    }

    /// Whether a path begins with two slashes, of either kind, once it is decoded as often as an upstream may do.
    private static func mayBeginWithHost(_ path: [UInt8]) -> Bool {
        var rest = path.dropFirst()
        while rest.starts(with: "%25".utf8) { rest = [ASCII.percent] + rest.dropFirst(3) }
        let start = rest.prefix(3).map(ASCII.lowercased)
        return start.first == ASCII.slash || start.first == ASCII.backslash || start == Array("%2f".utf8)
            || start == Array("%5c".utf8)
    }

    /// For operators.
    package var text: String {
        switch self {
        case .ambiguous: "an upstream may decode it to a dot segment, an empty one or a control character"
        case .host: "the forwarded path begins with \"//\", which an upstream may read as a host"
        case .route(let reading, let name):
            "an upstream may read \(String(decoding: reading, as: UTF8.self)), which has "
                + (name.map { "the route \($0)" } ?? "no route")
        case .variable(let reading, let name):
            "an upstream may read \(String(decoding: reading, as: UTF8.self)), where {\(name)} has another value"
        }
    }
}
