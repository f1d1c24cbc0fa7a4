/// The strings of a configuration that have variables of the environment, as they are written. Messages show them in the
/// place of values, which may be secrets.
package struct OriginalTexts {
    private var texts: [String: String] = [:]
    /// The texts by value.
    private var byValue: [String: String] = [:]
    /// Places where a variable could not be replaced, which is reported once.
    private var failures: Set<String> = []

    package init() {}

    package var isEmpty: Bool { texts.isEmpty }

    /// The text at a pointer; nil if it has no variable.
    package subscript(_ pointer: String) -> String? { texts[pointer] }

    package mutating func add(_ text: String, value: String, at pointer: String) {
        texts[pointer] = text
        if !value.isEmpty { byValue[value] = text }
    }

    package mutating func fail(_ text: String, at pointer: String) {
        texts[pointer] = text
        failures.insert(pointer)
    }

    /// Whether the value at a pointer, or one below it, is unknown.
    package func hasFailed(_ pointer: String) -> Bool { failures.contains(pointer) }

    /// A message without values.
    package func hiding(_ message: String) -> String {
        byValue.reduce(message) { message, entry in
            message.replacing("\"\(entry.key)\"", with: "\"\(entry.value)\"")
        }
    }
}
