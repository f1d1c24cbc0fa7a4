import Bytes
import Identity
import Model

/// Whom a search is for (UPS-02). Values are compared without the case of ASCII letters; a search decides nothing.
struct PersonFilter: Sendable {
    /// Whether one value of those that are listed is enough, and its beginning; otherwise all are wanted, and whole.
    var isSimple = false
    private var conditions: [(attribute: ProfileAttribute, value: [UInt8])] = []

    static let maximumConditions = 8

    /// - Parameter name: of an attribute that users can be looked for by. Others are refused and not ignored: whether
    ///   anybody is found would otherwise tell of what nobody may read.
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
