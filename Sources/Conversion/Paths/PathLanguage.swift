import Bytes

/// The paths that an expression of another program matches, as path patterns.
struct PathLanguage: Equatable, Sendable {
    /// Patterns all of whose paths the expression matches.
    var served: [PathShape] = []
    /// Shapes that have all paths that the expression matches.
    var cover: [PathShape] = []
    /// Whether `served` are all paths that the expression matches.
    var isExact = true

    /// A language that is not known.
    static let unknown = PathLanguage(cover: [.all], isExact: false)

    /// A regular expression that is searched in the path, as Go's `MatchString` does.
    init(searched expression: String) {
        guard let alternatives = PathRegex.alternatives(expression) else {
            self = .unknown
            return
        }
        self.init()
        for alternative in alternatives {
            // The sign holds for its own alternative: `^/a|/b` finds `/b` anywhere.
            let isAnchored = alternative.hasPrefix("^")
            let part = PathLanguage(
                PathRegex.tokens(isAnchored ? alternative.dropFirst() : alternative), isAnchoredAtEnd: false)
            for shape in part.served where !served.contains(shape) { served.append(shape) }
            // It may match in the middle of the path; what it matches at the beginning is part of that.
            cover += isAnchored ? part.cover : [.all]
            isExact = isExact && isAnchored && part.isExact
        }
    }

    /// - Parameter isAnchoredAtEnd: whether the path ends with the tokens; else it does where they have an end.
    init(_ tokens: [PathToken], isAnchoredAtEnd: Bool) {
        guard let sequences = PathToken.alternatives(tokens) else {
            self = .unknown
            return
        }
        for sequence in sequences {
            var sequence = sequence
            let end = sequence.firstIndex(of: .end)
            if let end {
                // Nothing comes after the end.
                guard sequence[end...].allSatisfy({ $0 == .end }) else { continue }
                sequence.removeSubrange(end...)
            }
            add(end == nil && !isAnchoredAtEnd ? sequence + [.any] : sequence)
        }
        served = served.unique()
    }

    init(served: [PathShape] = [], cover: [PathShape] = [], isExact: Bool = true) {
        (self.served, self.cover, self.isExact) = (served, cover, isExact)
    }

    /// Adds the paths of a sequence without choices.
    private mutating func add(_ sequence: [PathToken]) {
        guard sequence.first == .character("/") else {
            // Every path begins with a slash: a literal text that does not matches none.
            if case .character? = sequence.first { return }
            if sequence == [.any] || sequence == [.some] { return append([.all]) }
            return leave(.all)
        }
        let groups = sequence.dropFirst().split(separator: .character("/"), omittingEmptySubsequences: false)
        var segments: [PathShape.Segment] = []
        var isServed = true
        for (index, group) in groups.enumerated() {
            let isLast = index == groups.count - 1
            let start = String(group.prefix { $0.character != nil }.compactMap(\.character))
            let rest = group.dropFirst(start.count)
            if rest.isEmpty {
                // Paths have no empty segment but the last, and no dot segments.
                if start.isEmpty && !isLast || start == "." || start == ".." { return }
                segments.append(.literal(start))
            } else if start.isEmpty, rest.count == 1, case .segment(let isOptional)? = rest.first {
                if isLast, isOptional, isServed {
                    return append([shape(segments, .one), shape(segments, .literal(""))])
                }
                if isLast, isOptional { leave(shape(segments, .literal(""))) }
                segments.append(.one)
            } else if isLast, isServed, rest.allSatisfy({ $0 == .any || $0 == .some }) {
                return end(segments, start, isEmptyAllowed: !rest.contains(.some))
            } else if rest.contains(where: \.mayHaveSlash) {
                return leave(
                    PathShape(segments: start.isEmpty ? segments : segments + [.beginning(start)], isDeep: true))
            } else if isLast, start.isEmpty {
                leave(shape(segments, .literal("")))
                return leave(shape(segments, .one))
            } else {
                isServed = false
                segments.append(start.isEmpty ? .one : .beginning(start))
            }
        }
        let shape = PathShape(segments: segments)
        if isServed { append([shape]) } else { leave(shape) }
    }

    /// Adds the paths that go on in any way behind a text.
    private mutating func end(_ segments: [PathShape.Segment], _ start: String, isEmptyAllowed: Bool) {
        let below = PathShape(segments: segments + [.one], isDeep: true)
        if start.isEmpty {
            if segments.isEmpty, isEmptyAllowed { return append([.all]) }
            return append((isEmptyAllowed ? [shape(segments, .literal(""))] : []) + [below])
        }
        // `/a.*` matches `/ab`, for which there is no pattern.
        let inside = segments + [.literal(start)]
        served.append(
            isEmptyAllowed
                ? PathShape(segments: inside, isDeep: true) : PathShape(segments: inside + [.one], isDeep: true))
        leave(PathShape(segments: segments + [.beginning(start)], isDeep: true))
    }

    private func shape(_ segments: [PathShape.Segment], _ last: PathShape.Segment) -> PathShape {
        PathShape(segments: segments + [last])
    }

    private mutating func append(_ shapes: [PathShape]) {
        served += shapes
        cover += shapes
    }

    /// Adds paths of which only some are matched.
    private mutating func leave(_ shape: PathShape) {
        cover.append(shape)
        isExact = false
    }
}

extension PathToken {
    /// The character of a literal; nil for any other token.
    var character: Character? {
        if case .character(let character) = self { character } else { nil }
    }
}
