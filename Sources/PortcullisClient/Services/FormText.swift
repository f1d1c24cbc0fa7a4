import Bytes
import HTTP

extension ClientRequest {
    /// A posted form.
    init(form parameters: [(String, String)], to url: String, fields: [Field] = []) {
        self.init(
            "POST", url, fields: fields + [.init("Content-Type", "application/x-www-form-urlencoded")],
            body: Array(FormText.query(parameters).utf8))
    }

    /// The request with the id of a backend, unless it has one.
    func naming(backend: String?) -> ClientRequest {
        guard let backend, !has("oracle-mobile-backend-id") else { return self }
        return adding(.init("Oracle-Mobile-Backend-ID", backend))
    }
}

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
