import Bytes

/// How a value of the configuration is read, and what it looks like. A key is declared where it is read: with its name,
/// its shape, what holds without it, and what it means.
package struct Shape<Value: Sendable>: Sendable {
    /// What the value looks like. Worked out only where that is asked for.
    package let form: @Sendable () -> Form
    /// Answers nil after it has reported what is wrong.
    package let read: @Sendable (Field) -> Value?
    /// The value as it would be written; nil for one that is not shown as a default.
    let write: @Sendable (Value) -> JSONNode?

    package init(
        _ form: @escaping @autoclosure @Sendable () -> Form,
        write: @escaping @Sendable (Value) -> JSONNode? = { _ in nil },
        read: @escaping @Sendable (Field) -> Value?
    ) {
        self.form = form
        self.read = read
        self.write = write
    }

    /// The same with a line about the value itself.
    package func described(_ meaning: String) -> Shape { wrapped { .described(meaning, $0) } }

    /// The same, described once in each schema under a name.
    package func named(_ name: String) -> Shape { wrapped { .named(name, $0) } }

    private func wrapped(_ wrap: @escaping @Sendable (Form) -> Form) -> Shape {
        let form = form
        return Shape(wrap(form()), write: write, read: read)
    }

    /// The same value as another type.
    package func map<Other>(
        _ make: @escaping @Sendable (Value) -> Other?, back: @escaping @Sendable (Other) -> Value? = { _ in nil }
    ) -> Shape<Other> {
        let (form, read, write) = (form, read, write)
        return Shape<Other>(form(), write: { back($0).flatMap(write) }, read: { read($0).flatMap(make) })
    }

    /// The same form and default, read in another way.
    package func reading(_ read: @escaping @Sendable (Field) -> Value?) -> Shape {
        let form = form
        return Shape(form(), write: write, read: read)
    }
}

// MARK: Objects and lists

extension Shape {
    /// An object with known members, which `body` declares as it reads them.
    /// - Parameter expected: for the message where the value is no object.
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

    /// An object of such values by names of 1 to 64 letters, digits, dots, underscores and hyphens.
    /// - Parameters:
    ///   - expected: for the message where the value is no object.
    ///   - complaint: the message for any other name.
    func byName(
        _ expected: String, _ complaint: String, setName: @escaping @Sendable (inout Value, String) -> Void
    ) -> Shape<[Value]> {
        let (form, read) = (form, read)
        return Shape<[Value]>(
            .map(form(), names: Form.identifierPattern), write: { $0.isEmpty ? .object([]) : nil },
            read: { field in
                field.object(expected).entries.compactMap { name, place in
                    if !WebgateEntry.isName(name) { place.error(complaint, expected: WebgateEntry.nameRule) }
                    guard var value = read(place) else { return nil }
                    setName(&value, name)
                    return value
                }
            })
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
    /// What a function reads out of an object.
    package static func of<Value>(_ body: (inout ObjectReader) -> Value) -> ObjectForm {
        let outline = ObjectOutline()
        var object = ObjectReader(describing: outline)
        _ = body(&object)
        return outline.form
    }
}
