import Bytes
import HTTP

/// Encodings of request texts (OMH-08: applications pass unencoded values).
enum FormText {
    /// Percent-encoded but for unreserved characters.
    static func escaped(_ text: String) -> String { PathSegment.encode(text) }

    /// A query, or a body of `application/x-www-form-urlencoded`.
    static func query(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\(escaped($0.name))=\(escaped($0.value))" }.joined(separator: "&")
    }

    static func base64(_ text: String) -> String {
        String(decoding: Base64.encode(Array(text.utf8).span), as: UTF8.self)
    }
}
