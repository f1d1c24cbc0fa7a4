import Bytes

/// Reads the members of one object. Records the names that were read, so that all other members are reported as
/// unknown.
package struct ObjectReader {
    package let field: Field
    private let members: [JSONMember]
    private let pointer: String
    private var known: [String] = []
    /// Keys that are no more, and what takes their place.
    private var removed: [String: String] = [:]
    private var ignoresOthers = false
    /// Where the search for the next name begins: most members are in the order of the declarations.
    private var next = 0
    /// Collects the declarations if only the form of the object is needed.
    private let outline: ObjectOutline?

    package init(_ field: Field) {
        self.field = field
        outline = nil
        members = field.node.members ?? []
        pointer = field.pointer
        known.reserveCapacity(16)
    }

    /// Reads no object; collects the declarations in the outline.
    package init(describing outline: ObjectOutline) {
        let findings = Findings(sources: Sources(), directory: "", production: false)
        // A value without members, whose findings are ignored.
        field = Field(node: JSONNode(.null), pointer: "", findings: findings)
        members = []
        pointer = ""
        self.outline = outline
    }

    // MARK: Declarations

    /// An optional key without default.
    package mutating func optional<Value>(_ name: String, _ shape: Shape<Value>, _ meaning: String) -> Value? {
        take(name, shape, meaning)?.read()
    }

    /// An optional key with a default.
    /// - Parameter isDocumented: false for a default that differs between builds; the meaning describes it.
    package mutating func value<Value>(
        _ name: String, _ shape: Shape<Value>, default standard: Value, isDocumented: Bool = true, _ meaning: String
    ) -> Value {
        guard let outline else {
            if let value = take(name).flatMap(shape.take) { return value }
            _ = shape.record(standard, at: JSONPointer.child(pointer, name), field.findings)
            return standard
        }
        outline.add(
            ObjectForm.Key(
                name: name, form: shape.form(), meaning: meaning,
                standard: isDocumented ? shape.write(standard) : nil, isRequired: false, facts: shape.facts))
        return standard
    }

    package mutating func flag(_ name: String, default standard: Bool, _ meaning: String) -> Bool {
        value(name, .flag, default: standard, meaning)
    }

    /// An optional key of a property, whose present value is the default.
    package mutating func read<Value>(
        _ name: String, _ shape: Shape<Value>, into property: inout Value, _ meaning: String
    ) {
        property = value(name, shape, default: property, meaning)
    }

    /// An optional key of a property that is nil by default.
    package mutating func read<Value>(
        _ name: String, _ shape: Shape<Value>, into property: inout Value?, _ meaning: String
    ) {
        property = optional(name, shape, meaning) ?? property
    }

    /// A required key. If it is missing, reports an error and returns `placeholder`.
    /// - Parameter expected: the expectation to report if it is missing.
    package mutating func required<Value>(
        _ name: String, _ shape: Shape<Value>, _ expected: String, placeholder: Value, _ meaning: String
    ) -> Value {
        guard let outline else { return required(name, expected, placeholder: placeholder, shape.take) }
        outline.add(
            ObjectForm.Key(
                name: name, form: shape.form(), meaning: meaning, standard: nil, isRequired: true, facts: shape.facts))
        return placeholder
    }

    /// The same for a value without a placeholder.
    package mutating func required<Value>(
        _ name: String, _ shape: Shape<Value>, _ expected: String, _ meaning: String
    ) -> Value? {
        var optional = Shape<Value?>(shape.form(), read: { .some(shape.take($0)) })
        optional.facts = shape.facts
        return required(name, optional, expected, placeholder: nil, meaning)
    }

    /// A key that is read later, together with others.
    package mutating func take<Value>(
        _ name: String, _ shape: Shape<Value>, default standard: Value? = nil, _ meaning: String
    ) -> Member<Value>? {
        guard let outline else { return take(name).map { Member(field: $0, shape: shape) } }
        outline.add(
            ObjectForm.Key(
                name: name, form: shape.form(), meaning: meaning, standard: standard.flatMap(shape.write),
                isRequired: false, facts: shape.facts))
        return nil
    }

    /// A key with an object. If it is missing, all of its members have their defaults.
    /// - Parameter read: declares and reads the members.
    package mutating func section<Value>(
        _ name: String, _ meaning: String, expected: String = "an object", _ read: (inout ObjectReader) -> Value
    ) -> Value {
        var object =
            outline == nil
            ? (take(name) ?? Field(node: .object([]), below: pointer, name, findings: field.findings)).object(expected)
            : ObjectReader(describing: ObjectOutline())
        let value = read(&object)
        object.finish()
        if let outline, let form = object.outline?.form {
            outline.add(ObjectForm.Key(name: name, form: .object(form), meaning: meaning))
        }
        return value
    }

    /// An optional key with an object.
    /// - Parameter read: declares and reads the members.
    package mutating func part<Value>(
        _ name: String, _ meaning: String, _ read: (inout ObjectReader) -> Value
    ) -> Value? {
        if outline != nil || holds(.has(name)) { return section(name, meaning, read) }
        known.append(name)
        return nil
    }

    /// `key` and `keyFile`, at most one of which may be given.
    package mutating func keyOrFile<Key>(
        _ shape: Shape<Key>, _ meaning: String, file standard: String, _ fileMeaning: String
    ) -> (key: Key?, file: String) {
        let key = take("key", shape, meaning)
        let file = take("keyFile", .path, default: standard, fileMeaning)
        rules(.atMostOne(of: "key", "keyFile"))
        return (key?.read(), file?.read() ?? field.findings.path(of: standard))
    }

    /// Declares that members without a declaration are ignored, with a warning.
    package mutating func ignoreOthers() {
        ignoresOthers = true
        outline?.open()
    }

    package var hasErrors: Bool { field.findings.hasErrors }

    /// Reports what several members show together.
    /// - Parameter name: the member at fault, or a path below the object; empty for the object.
    package func error(at name: String = "", _ message: String, expected: String? = nil) {
        field.findings.error(name.isEmpty ? pointer : "\(pointer)/\(name)", message, expected: expected)
    }

    package func warning(at name: String, _ message: String) {
        field.findings.warning("\(pointer)/\(name)", message)
    }

    /// The members without those of other readers, and their secrets: equal for equal settings alone.
    package func fingerprint(without names: [String]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for member in members.sorted(by: { $0.name < $1.name }) where !names.contains(member.name) {
            writer.name(member.name)
            writer.value(member.node)
        }
        writer.endObject()
        writer.value(field.findings.secretValues)
        return writer.bytes
    }

    /// Declares rules between keys, and reports what breaks them.
    package func rules(_ rules: KeyRule...) {
        for rule in rules {
            if let outline { outline.add(rule) } else { check(rule) }
        }
    }

    private func check(_ rule: KeyRule) {
        // If the value is not an object, that was reported already.
        if field.node.members == nil { return }
        for violation in rule.violations(value) {
            field.findings.error(
                violation.name.map { JSONPointer.child(pointer, $0) } ?? pointer, violation.message,
                expected: violation.expected)
        }
    }

    /// Keys that objects have only if a condition holds.
    /// - Parameters:
    ///   - because: the message for a key of an object without them; what the key needs by default.
    ///   - body: declares and reads the keys. Its rules, and what it requires, are about objects of the condition.
    /// - Returns: nil if the condition does not hold.
    package mutating func keys<Value>(
        with condition: KeyCondition, because message: String? = nil, expected: String? = nil,
        _ body: (inout ObjectReader) -> Value
    ) -> Value? {
        if let outline {
            let part = ObjectOutline()
            var reader = ObjectReader(describing: part)
            let value = body(&reader)
            outline.add(part.form, with: condition)
            return value
        }
        if holds(condition) { return body(&self) }
        let names = ObjectForm.of(body).names
        for name in names { _ = take(name) }
        check(.only(names, with: condition, because: message, expected: expected))
        return nil
    }

    /// Whether the object has what a condition asks for.
    package func holds(_ condition: KeyCondition) -> Bool { condition.holds(value) }

    /// The value of a member as rules see it.
    private func value(_ name: String) -> JSONNode? {
        members.first { $0.name == name }.map {
            field.findings.plain($0.node, at: JSONPointer.child(pointer, name))
        }
    }

    /// A member that is present and not read yet.
    package struct Member<Value: Sendable> {
        package let field: Field
        package let shape: Shape<Value>

        package func read() -> Value? { shape.take(field) }
    }

    // MARK: Members

    /// All members, for objects with free names.
    package var entries: [(name: String, field: Field)] {
        members.map { ($0.name, child($0)) }
    }

    /// The member with this name, if it exists.
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

    /// A required member. If it is missing, reports an error and returns `placeholder`.
    package mutating func required<Value>(
        _ name: String, _ expected: String, placeholder: Value, _ read: (Field) -> Value?
    ) -> Value {
        if let member = take(name) { return read(member) ?? placeholder }
        // If the value is not an object, that was reported already.
        if field.node.members != nil {
            field.findings.error(
                JSONPointer.child(pointer, name), "required member \"\(name)\" is missing", expected: expected)
        }
        return placeholder
    }

    /// Keys of earlier versions, which are errors.
    /// - Parameter instead: what takes their place.
    package mutating func removed(_ names: [String], instead: String) {
        for name in names { removed[name] = instead }
    }

    /// Reports members that were not read.
    package func finish() {
        for member in members where !known.contains(member.name) {
            if let instead = removed[member.name] {
                child(member).error("\"\(member.name)\" is no longer a setting", expected: instead)
                continue
            }
            if ignoresOthers {
                child(member).warning(
                    "unknown member, ignored", expected: "one of \(known.sorted().joined(separator: ", "))")
                continue
            }
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
