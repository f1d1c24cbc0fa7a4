import Bytes

/// Reads the members of one object. It remembers which names were asked for, so that whatever is left over at the end
/// is unknown and the list of known names is written down nowhere else.
package struct ObjectReader {
    let field: Field
    private let members: [JSONMember]
    private let pointer: String
    private var known: [String] = []
    /// Where the next name is looked for first: mostly the members stand in the order in which they are asked for.
    private var next = 0

    init(_ field: Field) {
        self.field = field
        members = field.node.members ?? []
        pointer = field.pointer
        known.reserveCapacity(16)
    }

    /// The members as they stand, for objects whose names are free.
    package var entries: [(name: String, field: Field)] {
        members.map { ($0.name, child($0)) }
    }

    /// The member with this name, if it is there.
    package mutating func take(_ name: String) -> Field? {
        known.append(name)
        guard
            let index = members[next...].firstIndex(where: { $0.name == name })
                ?? members[..<next].firstIndex(where: { $0.name == name })
        else { return nil }
        next = index + 1
        return child(members[index])
    }

    package mutating func optional<Value>(_ name: String, _ read: (Field) -> Value?) -> Value? {
        take(name).flatMap(read)
    }

    package mutating func value<Value>(_ name: String, default standard: Value, _ read: (Field) -> Value?) -> Value {
        take(name).flatMap(read) ?? standard
    }

    /// A member that must be there; `standIn` takes its place once the error is reported.
    package mutating func required<Value>(
        _ name: String, _ expected: String, standIn: Value, _ read: (Field) -> Value?
    ) -> Value {
        let member = take(name)
        return needed(name, member, expected, standIn: standIn, read)
    }

    /// The same for a member that was taken before.
    func needed<Value>(
        _ name: String, _ member: Field?, _ expected: String, standIn: Value, _ read: (Field) -> Value?
    ) -> Value {
        if let member { return read(member) ?? standIn }
        // Where the object is none at all, that has been said already.
        if field.node.members != nil {
            field.findings.error(
                JSONPointer.child(pointer, name), "required member \"\(name)\" is missing", expected: expected)
        }
        return standIn
    }

    package mutating func flag(_ name: String, default standard: Bool) -> Bool {
        value(name, default: standard) { $0.bool() }
    }

    package mutating func count(_ name: String, in range: ClosedRange<Int>, default standard: Int, _ noun: String)
        -> Int
    {
        value(name, default: standard) { $0.integer(in: range, noun) }
    }

    package mutating func duration(_ name: String, default standard: Duration) -> Duration {
        value(name, default: standard) { $0.duration() }
    }

    /// Reports the members that nobody asked for.
    package func finish() {
        for member in members where !known.contains(member.name) {
            let suggestion = Suggestion.nearest(to: member.name, among: known)
            child(member).error(
                "unknown member \"\(member.name)\"",
                expected: suggestion == nil ? "one of \(known.joined(separator: ", "))" : nil, suggestion: suggestion)
        }
    }

    private func child(_ member: JSONMember) -> Field {
        Field(node: member.node, below: pointer, member.name, findings: field.findings)
    }
}
