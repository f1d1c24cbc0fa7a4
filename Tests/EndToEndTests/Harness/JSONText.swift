import Foundation

/// A JSON value as tests look at it: by a path of member names and indices.
struct JSONText {
    private let value: Any?

    /// Text that is no JSON is the value nil.
    init(_ text: String) {
        value = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }

    private init(value: Any?) { self.value = value }

    subscript(_ name: String) -> JSONText { JSONText(value: (value as? [String: Any])?[name]) }

    subscript(_ index: Int) -> JSONText {
        let list = value as? [Any] ?? []
        return JSONText(value: list.indices.contains(index) ? list[index] : nil)
    }

    var exists: Bool { value != nil }
    /// The value for `JSONSerialization`.
    var any: Any? { value }
    var text: String {
        let data = value.flatMap {
            try? JSONSerialization.data(withJSONObject: $0, options: [.fragmentsAllowed, .sortedKeys])
        }
        return String(decoding: data ?? Data(), as: UTF8.self)
    }
    var string: String? { value as? String }
    var integer: Int? { value as? Int }
    var number: Double? { value as? Double }
    var bool: Bool? { value as? Bool }
    var strings: [String] { value as? [String] ?? [] }
    var list: [JSONText] { (value as? [Any] ?? []).map { JSONText(value: $0) } }
    var names: [String] { (value as? [String: Any])?.keys.sorted() ?? [] }
}
