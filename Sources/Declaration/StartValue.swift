/// The value of a key that applies at the next start of the process.
package struct StartValue: Sendable {
    private let value: any Equatable & Sendable

    package init(_ value: some Equatable & Sendable) { self.value = value }

    package func isSame(as other: StartValue) -> Bool {
        func equals<Value: Equatable>(_ own: Value) -> Bool { own == other.value as? Value }
        return equals(value)
    }
}

/// The values of a configuration that apply at the next start of the process.
package struct StartValues: Sendable {
    private var values: [String: StartValue] = [:]

    package init() {}

    package mutating func add(_ value: StartValue, at pointer: String) { values[pointer] = value }

    /// The keys whose values differ, such as `store.path`, in alphabetical order.
    package func keys(differingFrom other: StartValues) -> [String] {
        Set(values.keys).union(other.values.keys).filter { pointer in
            guard let own = values[pointer], let value = other.values[pointer] else { return true }
            return !own.isSame(as: value)
        }
        .map { JSONPointer.segments($0).joined(separator: ".") }.sorted()
    }
}

extension Shape where Value: Equatable {
    /// The same shape of a key that applies at the next start of the process.
    package func atStart() -> Shape { atStart { $0 } }
}

extension Shape {
    /// The same shape of a key that applies at the next start of the process, as far as a part of its value changes.
    /// - Parameter part: what takes effect at the next start only.
    package func atStart(
        _ change: KeyFacts.Change = .restart, _ part: @escaping @Sendable (Value) -> some Equatable & Sendable
    )
        -> Shape
    {
        var shape = self
        shape.facts.change = change
        shape.startValue = { StartValue(part($0)) }
        return shape
    }

    /// The same shape of a key of list elements, with a list that compares them.
    package func comparedByList() -> Shape {
        var shape = self
        shape.facts.change = .restart
        return shape
    }

    /// The same shape of a key that a version has added.
    package func since(_ version: String) -> Shape {
        var shape = self
        shape.facts.since = version
        return shape
    }

    /// Reads a value and records it if it applies at the next start only.
    package func take(_ field: Field) -> Value? { record(read(field), at: field.pointer, field.findings) }

    /// Records a value, also a default, that applies at the next start only.
    package func record(_ value: Value?, at pointer: @autoclosure () -> String, _ findings: Findings) -> Value? {
        if let value, let startValue { findings.startValues.add(startValue(value), at: pointer()) }
        return value
    }
}
