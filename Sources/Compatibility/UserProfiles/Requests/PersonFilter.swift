import Bytes
import Model

/// The conditions of a search (UPS-02). Values are compared without regard to the case of ASCII letters.
struct PersonFilter: Sendable {
    /// Whether the prefix of one value is enough to match; otherwise all values must match in full.
    var isSimple = false
    private var conditions: [(attribute: ProfileAttribute, value: [UInt8])] = []

    static let maximumConditions = 8

    /// - Parameter name: of a searchable attribute. Others are refused, so that no search result depends on an
    ///   attribute that cannot be read.
    mutating func add(_ name: String, _ value: String) throws(ProfileRefusal) {
        guard let attribute = ProfileAttribute(exactly: name), attribute.isSearchable, !value.isEmpty,
            value.utf8.count <= ProfileAttribute.longestValue, conditions.count < PersonFilter.maximumConditions
        else { throw ProfileRefusal(.malformedQuery, name) }
        conditions.append((attribute, value.utf8.map(ASCII.lowercased)))
    }

    func takes(_ user: User) -> Bool {
        if conditions.isEmpty { return true }
        if isSimple { return conditions.contains { begins($0.attribute, of: user, with: $0.value) } }
        return conditions.allSatisfy { equals($0.attribute, of: user, $0.value) }
    }

    private func equals(_ attribute: ProfileAttribute, of user: User, _ value: [UInt8]) -> Bool {
        guard let own = attribute.value(of: user), own.utf8.count == value.count else { return false }
        return own.utf8.lazy.map(ASCII.lowercased).elementsEqual(value)
    }

    private func begins(_ attribute: ProfileAttribute, of user: User, with value: [UInt8]) -> Bool {
        guard let own = attribute.value(of: user), own.utf8.count >= value.count else { return false }
        return own.utf8.lazy.map(ASCII.lowercased).starts(with: value)
    }
}
