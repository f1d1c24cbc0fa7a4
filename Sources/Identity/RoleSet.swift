import Bytes

/// A set of role names as bits: bit n stands for name n of its role catalogue (ROLE-04).
package struct RoleSet: Equatable, Sendable {
    /// Maximum number of names in a catalogue.
    package static let capacity = 256

    private var bits: SIMD4<UInt64>

    /// The empty set.
    package init() { bits = .zero }

    /// Adds the role with this index of the catalogue.
    package mutating func insert(_ index: Int) {
        precondition(index >= 0 && index < RoleSet.capacity)
        bits[index >> 6] |= 1 << UInt64(index & 63)
    }

    package func contains(_ index: Int) -> Bool { bits[index >> 6] & (1 << UInt64(index & 63)) != 0 }

    package var isEmpty: Bool { bits == .zero }

    /// Whether every role of `other` is in this set.
    package func isSuperset(of other: RoleSet) -> Bool { bits & other.bits == other.bits }

    /// Whether the sets share no role.
    package func isDisjoint(with other: RoleSet) -> Bool { bits & other.bits == .zero }

    package func union(_ other: RoleSet) -> RoleSet {
        var result = self
        result.formUnion(other)
        return result
    }

    package func intersection(_ other: RoleSet) -> RoleSet {
        var result = self
        result.bits &= other.bits
        return result
    }

    package mutating func formUnion(_ other: RoleSet) { bits |= other.bits }
}

/// The role names of `roles.json` in a fixed order. Names are compared byte by byte; other names are never granted
/// (ROLE-04).
package struct RoleCatalogue: Sendable {
    package let names: [String]
    private let indices: [ExactText: Int]

    /// - Precondition: at most `RoleSet.capacity` names, each once.
    package init(_ names: [String]) {
        precondition(names.count <= RoleSet.capacity)
        self.names = names
        indices = Dictionary(uniqueKeysWithValues: names.enumerated().map { (ExactText($1), $0) })
    }

    /// Index of a name; nil if not in the catalogue.
    package func index(of name: String) -> Int? { indices[ExactText(name)] }

    /// The set of the names in the catalogue; others are dropped.
    package func roles(named names: some Sequence<String>) -> RoleSet {
        var roles = RoleSet()
        for name in names {
            if let index = index(of: name) { roles.insert(index) }
        }
        return roles
    }

    /// The names of a set in the order of the catalogue.
    package func names(of roles: RoleSet) -> [String] {
        roles.isEmpty ? [] : names.indices.lazy.filter { roles.contains($0) }.map { names[$0] }
    }
}
