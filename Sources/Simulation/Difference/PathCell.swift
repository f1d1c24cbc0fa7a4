import Model

/// A set of paths that match the same patterns, so that no table of routes tells them apart.
struct PathCell: Sendable {
    /// A segment of the paths.
    enum Segment: Sendable, Hashable {
        case literal(String)
        /// Any segment but these.
        case other([String])
    }

    let segments: [Segment]
    /// Whether any further segments follow.
    let isDeep: Bool
    /// Places of the patterns that match.
    let matching: [Int]

    /// A path of the set.
    var witness: String {
        "/"
            + segments.map { segment in
                switch segment {
                case .literal(let text): text
                case .other(let names): PathCell.fresh(names)
                }
            }.joined(separator: "/")
    }

    /// The set as a pattern: other segments are `*`, more of them `**`.
    var pattern: String {
        var parts = segments.map { segment in
            switch segment {
            case .literal(let text): text
            case .other: "*"
            }
        }
        if isDeep { parts[parts.count - 1] = "**" }
        return "/" + parts.joined(separator: "/")
    }

    /// A name that is none of these.
    static func fresh(_ names: [String], _ stem: String = "any") -> String {
        var name = stem
        while names.contains(name) { name += "-other" }
        return name
    }

    // MARK: Enumeration

    /// What is left of a pattern behind the segments of a set.
    private struct Rest {
        let place: Int
        var segments: ArraySlice<PathPattern.Segment>
        let isDeep: Bool
    }

    /// The sets that patterns tell apart. Paths that match none of them are left out.
    static func all(_ patterns: [PathPattern]) -> [PathCell] {
        var cells: [PathCell] = []
        let rests = patterns.enumerated().map { Rest(place: $0, segments: $1.segments[...], isDeep: $1.isDeep) }
        descend([], rests, whole: [], into: &cells)
        return cells
    }

    /// - Parameters:
    ///   - live: patterns that may match further segments.
    ///   - whole: places of those that match, with anything behind.
    private static func descend(_ path: [Segment], _ live: [Rest], whole: [Int], into cells: inout [PathCell]) {
        let whole = whole + live.filter { $0.segments.isEmpty && $0.isDeep }.map(\.place)
        let ending = live.filter { $0.segments.isEmpty && !$0.isDeep }.map(\.place)
        if !path.isEmpty, !ending.isEmpty || !whole.isEmpty {
            cells.append(PathCell(segments: path, isDeep: false, matching: ending + whole))
        }
        // An empty segment is the last one.
        if path.last == .literal("") { return }
        let further = live.filter { !$0.segments.isEmpty }
        var names: [String] = []
        for rest in further {
            guard case .literal(let bytes)? = rest.segments.first else { continue }
            let name = String(decoding: bytes, as: UTF8.self)
            if !names.contains(name) { names.append(name) }
        }
        if !whole.isEmpty, !names.contains("") { names.append("") }
        for name in names {
            descend(path + [.literal(name)], further.compactMap { advance($0, by: name) }, whole: whole, into: &cells)
        }
        let starred = further.filter { $0.segments.first == .one }.map { rest in
            Rest(place: rest.place, segments: rest.segments.dropFirst(), isDeep: rest.isDeep)
        }
        let other = path + [.other(names)]
        if starred.isEmpty {
            if !whole.isEmpty { cells.append(PathCell(segments: other, isDeep: true, matching: whole)) }
        } else {
            descend(other, starred, whole: whole, into: &cells)
        }
    }

    private static func advance(_ rest: Rest, by name: String) -> Rest? {
        switch rest.segments.first {
        case .literal(let bytes)? where !bytes.elementsEqual(name.utf8): return nil
        case .one? where name.isEmpty: return nil
        case nil: return nil
        default: return Rest(place: rest.place, segments: rest.segments.dropFirst(), isDeep: rest.isDeep)
        }
    }
}

extension PathCell {
    /// Names that the last segment of the pattern does not stand for.
    var exceptions: [String] {
        guard case .other(let names)? = segments.last else { return [] }
        return names.filter { !$0.isEmpty }
    }

    /// The pattern without its last segment.
    var parent: Substring { pattern.dropLast(isDeep ? 2 : 1) }
}

/// Sets of paths that are shown together.
struct PathCells {
    /// All beginnings of the sets.
    private var beginnings: Set<ArraySlice<PathCell.Segment>> = []
    /// The last segments of the deep sets, by those before.
    private var deep: [ArraySlice<PathCell.Segment>: Set<PathCell.Segment>] = [:]

    init(_ cells: [PathCell]) {
        for cell in cells {
            for end in cell.segments.indices { beginnings.insert(cell.segments[...end]) }
            if cell.isDeep, let last = cell.segments.last { deep[cell.segments.dropLast(), default: []].insert(last) }
        }
    }

    /// Whether the pattern of another, deep set has all paths of a set.
    func cover(_ cell: PathCell) -> Bool {
        (0...cell.segments.count).contains { count in
            guard let others = deep[cell.segments.prefix(count)] else { return false }
            return count != cell.segments.count - 1 || others.contains { $0 != cell.segments[count] }
        }
    }

    /// Whether one of them has a name in place of the last segment of a set.
    func have(_ name: String, inPlaceOfLastOf cell: PathCell) -> Bool {
        beginnings.contains(cell.segments.dropLast() + [.literal(name)])
    }
}
