/// JSON pointers (RFC 6901) as text.
package enum JSONPointer {
    /// The pointer to a member or element below a place.
    package static func child(_ pointer: String, _ name: String) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
            return "\(pointer)/\(name)"
        }
        return "\(pointer)/" + name.replacing("~", with: "~0").replacing("/", with: "~1")
    }

    /// The unescaped names from the root.
    package static func segments(_ pointer: String) -> [String] {
        pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            .map { String($0).replacing("~1", with: "/").replacing("~0", with: "~") }
    }
}

/// A place in the configuration. Its pointer is built lazily, since most places are never reported.
package struct JSONLocation {
    private let parent: String
    private let name: String?

    package init(_ pointer: String) {
        parent = pointer
        name = nil
    }

    /// A member or element below a place.
    package init(below parent: String, _ name: String) {
        self.parent = parent
        self.name = name
    }

    package var pointer: String { name.map { JSONPointer.child(parent, $0) } ?? parent }
}
