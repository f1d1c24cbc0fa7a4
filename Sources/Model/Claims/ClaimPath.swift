import Bytes

/// A place in the claims of a token or in another JSON object.
///
/// Three forms, told apart by the text alone: a JSON pointer (RFC 6901), `/resource_access/my-app/roles`; a URI, which is one
/// name, `https://example.com/roles`; and names with dots between them, `realm_access.roles`.
package struct ClaimPath: Hashable, Sendable {
    /// Why a text is no path.
    package enum Problem: String, Error, Sendable {
        case empty = "it is empty"
        case emptyName = #"it has an empty name (a dot at an end, or two in a row)"#
        case escape = #""~" in a JSON pointer is followed by "0" or "1" (RFC 6901 section 3)"#
    }

    package let text: String
    package let names: [String]

    package init(_ text: String) throws(Problem) {
        self.text = text
        if text.isEmpty { throw .empty }
        if text.utf8.first == ASCII.slash {
            var names: [String] = []
            for part in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
                names.append(try ClaimPath.unescape(part))
            }
            self.names = names
        } else if text.contains("://") || text.hasPrefix("urn:") {
            names = [text]
        } else {
            names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            if names.contains("") { throw .emptyName }
        }
    }

    /// The claim with exactly this name.
    package init(literal name: String) {
        text = name
        names = [name]
    }

    private static func unescape(_ part: Substring) throws(Problem) -> String {
        let pieces = part.split(separator: "~", omittingEmptySubsequences: false)
        var name = String(pieces[0])
        for piece in pieces.dropFirst() {
            switch piece.first {
            case "0": name += "~"
            case "1": name += "/"
            default: throw .escape
            }
            name += piece.dropFirst()
        }
        return name
    }

    /// Whether it is the top-level claim with this name.
    package func isClaim(_ name: String) -> Bool { names.count == 1 && names[0].isExactly(name) }

    /// The name of the claim that it begins with.
    package var claim: String { names[0] }

    /// Whether it leads to the same place as another path, or to one within it.
    package func isAtOrBelow(_ other: ClaimPath) -> Bool {
        names.count >= other.names.count && zip(names, other.names).allSatisfy { $0.isExactly($1) }
    }

    /// What stands there; nil for nothing.
    package func value(in claims: JSONNode) -> JSONNode? {
        var node = claims
        for name in names {
            if let elements = node.array {
                guard let index = Int(name), elements.indices.contains(index), String(index) == name else { return nil }
                node = elements[index]
            } else if let member = node[name] {
                node = member
            } else {
                return nil
            }
        }
        return node
    }

    /// An object that has only what stands there, with the objects around it. A list stays whole.
    fileprivate func excerpt(of claims: JSONNode) -> JSONNode? { ClaimPath.excerpt(of: claims, names[...]) }

    private static func excerpt(of node: JSONNode, _ names: ArraySlice<String>) -> JSONNode? {
        guard let name = names.first, node.array == nil else { return node }
        return node[name].flatMap { excerpt(of: $0, names.dropFirst()) }.map { inner in
            JSONNode(.object([JSONMember(name: name, node: inner)]))
        }
    }
}

extension [ClaimPath] {
    /// Whether one of the paths leads to what stands at a path, or to something around it.
    package func covers(_ path: ClaimPath) -> Bool { contains { path.isAtOrBelow($0) } }
}

extension JSONNode {
    /// An object with what stands at some paths; nil for nothing.
    package func limited(to paths: [ClaimPath]) -> JSONNode? {
        paths.lazy.compactMap { $0.excerpt(of: self) }.reduce(nil) { $0?.joined(with: $1) ?? $1 }
    }

    /// An object with the members of two, and with those of both within. Anything but an object is the other's.
    private func joined(with other: JSONNode) -> JSONNode {
        guard let own = members, let more = other.members else { return other }
        var joined = own
        for member in more {
            if let place = joined.firstIndex(where: { $0.name.isExactly(member.name) }) {
                joined[place] = JSONMember(name: member.name, node: joined[place].node.joined(with: member.node))
            } else {
                joined.append(member)
            }
        }
        return JSONNode(.object(joined))
    }

    /// The text of a string, number or truth value, and those of an array of such; nothing for objects and null.
    package var texts: [String] {
        switch value {
        case .string(let text), .number(let text): [text]
        case .bool(let flag): [flag ? "true" : "false"]
        case .array(let elements): elements.flatMap { $0.array == nil ? $0.texts : [] }
        case .null, .object: []
        }
    }
}
