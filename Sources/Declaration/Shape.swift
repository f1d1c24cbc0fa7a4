import Bytes

/// The reader and the form of a value. Each key is declared where it is read, with its name, shape, default and
/// meaning.
package struct Shape<Value: Sendable>: Sendable {
    /// The form of the value, computed on demand.
    package let form: @Sendable () -> Form
    /// Reports an error and returns nil for an invalid value.
    package let read: @Sendable (Field) -> Value?
    /// The JSON of a default value; nil if it is not documented.
    package let write: @Sendable (Value) -> JSONNode?
    /// What the reference says about a key with this shape.
    package var facts = KeyFacts()
    /// What of a value applies at the next start only; nil for nothing.
    package var startValue: (@Sendable (Value) -> StartValue)?

    package init(
        _ form: @escaping @autoclosure @Sendable () -> Form,
        write: @escaping @Sendable (Value) -> JSONNode? = { _ in nil },
        read: @escaping @Sendable (Field) -> Value?
    ) {
        self.form = form
        self.read = read
        self.write = write
    }

    /// The same shape with a description of the value.
    package func described(_ meaning: String) -> Shape { wrapped { .described(meaning, $0) } }

    /// The same shape as a named definition of each schema.
    package func named(_ name: String) -> Shape { wrapped { .named(name, $0) } }

    private func wrapped(_ wrap: @escaping @Sendable (Form) -> Form) -> Shape {
        let form = form
        var shape = Shape(wrap(form()), write: write, read: read)
        (shape.facts, shape.startValue) = (facts, startValue)
        return shape
    }

    /// The same form with a converted value.
    package func map<Other>(
        _ make: @escaping @Sendable (Value) -> Other?, back: @escaping @Sendable (Other) -> Value? = { _ in nil }
    ) -> Shape<Other> {
        let (form, read, write) = (form, read, write)
        return Shape<Other>(form(), write: { back($0).flatMap(write) }, read: { read($0).flatMap(make) })
    }

    /// The same form, with a warning about a wrong value and another one in its place.
    package func forgiving(_ message: String, expected: String, with standard: Value) -> Shape {
        let read = read
        return reading { field in
            let part = field.apart
            guard let value = read(part), !part.findings.hasErrors else {
                field.warning(message, expected: expected)
                return standard
            }
            field.findings.adopt(part.findings)
            return value
        }
    }

    /// The same form and default with another reader.
    package func reading(_ read: @escaping @Sendable (Field) -> Value?) -> Shape {
        let form = form
        var shape = Shape(form(), write: write, read: read)
        (shape.facts, shape.startValue) = (facts, startValue)
        return shape
    }
}

// MARK: Objects and lists

extension Shape {
    /// An object whose members `body` declares and reads.
    /// - Parameter expected: the expectation to report if the value is not an object.
    package static func object(
        _ expected: String, _ body: @escaping @Sendable (inout ObjectReader) -> Value
    ) -> Shape {
        Shape(
            .object(ObjectForm.of(body)),
            read: { field in
                var object = field.object(expected)
                let value = body(&object)
                object.finish()
                return value
            })
    }

    /// An object of such values by name: 1 to 64 letters, digits, dots, underscores and hyphens.
    /// - Parameters:
    ///   - expected: the expectation to report if the value is not an object.
    ///   - complaint: the message for an invalid name.
    package func byName(
        _ expected: String, _ complaint: String, setName: @escaping @Sendable (inout Value, String) -> Void
    ) -> Shape<[Value]> {
        let (form, read) = (form, read)
        return Shape<[Value]>(
            .map(form(), names: Form.identifierPattern), write: { $0.isEmpty ? .object([]) : nil },
            read: { field in
                field.object(expected).entries.compactMap { name, place in
                    if !EntryName.isValid(name) { place.error(complaint, expected: EntryName.rule) }
                    guard var value = read(place) else { return nil }
                    setName(&value, name)
                    return value
                }
            })
    }

    /// Reads a list of such values, and reports values with the name of an earlier one.
    /// - Parameters:
    ///   - expected: the expectation to report if the value is not a list.
    ///   - noun: what a value is called in messages.
    package func readAll(
        _ field: Field, _ expected: String, unique noun: String, by key: KeyPath<Value, String>,
        expecting unique: String = "a unique name"
    ) -> [Value] {
        var values: [Value] = []
        for element in field.elements(expected) ?? [] {
            guard let value = read(element) else { continue }
            let name = value[keyPath: key]
            if !name.isEmpty, values.contains(where: { $0[keyPath: key] == name }) {
                element.error("duplicate \(noun) \"\(name)\"", expected: unique)
            }
            values.append(value)
        }
        return values
    }

    /// A list of such values.
    package func list(
        _ expected: String, minimum: Int = 0, maximum: Int? = nil, isUnique: Bool = true
    ) -> Shape<[Value]> {
        let (form, read, write) = (form, read, write)
        return Shape<[Value]>(
            .list(form(), minimum: minimum, maximum: maximum, isUnique: isUnique),
            write: { values in
                let nodes = values.compactMap(write)
                return nodes.count == values.count ? JSONNode(.array(nodes)) : nil
            },
            read: { $0.elements(expected)?.compactMap(read) })
    }
}

extension ObjectForm {
    /// The form of the objects that a function reads.
    package static func of<Value>(_ body: (inout ObjectReader) -> Value) -> ObjectForm {
        let outline = ObjectOutline()
        var object = ObjectReader(describing: outline)
        _ = body(&object)
        return outline.form
    }
}
