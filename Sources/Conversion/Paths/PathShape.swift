import Bytes

/// A set of paths as a conversion computes with it: the paths of a path pattern, or of one whose segments begin with a text.
struct PathShape: Hashable, Sendable {
    enum Segment: Hashable, Sendable {
        /// This text; the empty one only as the last segment.
        case literal(String)
        /// Any non-empty segment.
        case one
        /// Any segment that begins with this text. No path pattern has such a segment.
        case beginning(String)

        func intersection(_ other: Segment) -> Segment? {
            switch (self, other) {
            case (.one, .one): .one
            case (.literal(let text), .one), (.one, .literal(let text)): text.isEmpty ? nil : .literal(text)
            case (.literal(let text), .literal(let same)): text == same ? self : nil
            case (.literal(let text), .beginning(let start)), (.beginning(let start), .literal(let text)):
                text.hasPrefix(start) ? .literal(text) : nil
            case (.one, .beginning), (.beginning, .one): self == .one ? other : self
            case (.beginning(let one), .beginning(let two)):
                one.hasPrefix(two) ? self : two.hasPrefix(one) ? other : nil
            }
        }
    }

    var segments: [Segment]
    /// Whether any further segments, or none, follow.
    var isDeep = false

    static let all = PathShape(segments: [], isDeep: true)

    /// The paths that both shapes have; nil for none.
    func intersection(_ other: PathShape) -> PathShape? {
        let (short, long) = segments.count <= other.segments.count ? (self, other) : (other, self)
        guard short.segments.count == long.segments.count || short.isDeep else { return nil }
        var common: [Segment] = []
        for (one, two) in zip(short.segments, long.segments) {
            guard let segment = one.intersection(two) else { return nil }
            common.append(segment)
        }
        return PathShape(
            segments: common + long.segments.dropFirst(common.count), isDeep: isDeep && other.isDeep)
    }

    /// Whether every path of the other shape is one of this.
    func covers(_ other: PathShape) -> Bool { intersection(other) == other }

    /// The same paths with a slash behind them; nil where the shape has them already, or has no end.
    var withSlash: PathShape? {
        guard !isDeep, let last = segments.last, last != .literal("") else { return nil }
        return PathShape(segments: segments + [.literal("")])
    }

    /// The text of the smallest path pattern that has all these paths.
    var pattern: String {
        let texts = segments.map { segment in
            switch segment {
            case .literal(let text): Self.escaped(text)
            case .one, .beginning: "*"
            }
        }
        return "/" + (texts + (isDeep ? ["**"] : [])).joined(separator: "/")
    }

    /// The canonical spelling of a segment (RFC 3986 section 3.3), in which no character is a wildcard.
    private static func escaped(_ text: String) -> String {
        let plain = Set("-._~!$&'()+,;=:@".utf8)
        return text.utf8.reduce(into: "") { result, byte in
            if ASCII.isLetter(byte) || ASCII.isDigit(byte) || plain.contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.utf8.count < 2 ? "%0" + digits : "%" + digits
            }
        }
    }

    /// The shapes and all their intersections. For each path the intersection of all shapes that have it is among them, and
    /// is the most specific one that has it: the one by which the gateway decides.
    /// - Returns: nil for more than `limit` shapes.
    static func cells(_ shapes: [PathShape], limit: Int = 4096) -> [PathShape]? {
        var cells: [PathShape] = []
        var known: Set<PathShape> = []
        for shape in shapes where known.insert(shape).inserted {
            let common = cells.compactMap(shape.intersection).filter { known.insert($0).inserted }
            cells += [shape] + common
            if cells.count > limit { return nil }
        }
        return cells
    }
}
