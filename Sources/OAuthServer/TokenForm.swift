import Bytes
import Endpoints
import HTTP

/// The parameters of a token request (RFC 6749 appendix B), each at most once but `resource`.
package struct TokenForm {
    private let fields: FormFields

    static let mediaType = "application/x-www-form-urlencoded"
    /// As spelt in the documentation of the exchange endpoint (CON-08).
    static let misspeltMediaType = "application/x/www-form-urlencoded"

    /// Reads the body of a request. Query parameters are ignored, except that a credential among them is refused.
    /// - Parameter types: accepted media types.
    package init(_ request: EndpointRequest, types: [String] = [mediaType]) throws(TokenFailure) {
        guard TokenForm.isForm(request.contentType, types) else { throw .wrongContentType }
        fields = try TokenForm.parse(request.body)
        guard fields.repeatedName(besides: ResourceIndicators.parameter) == nil else { throw .repeatedParameter }
        let query = try TokenForm.parse(request.query)
        for name in ["client_secret", "client_assertion", "assertion", "password", "username"]
        where query.first(name) != nil {
            throw .credentialInQuery
        }
    }

    /// The value of a parameter. An empty value counts as absent (RFC 6749 section 3.2).
    package subscript(_ name: String) -> String? {
        guard let value = fields.first(name), !value.isEmpty else { return nil }
        return value
    }

    /// The resources that the token is for (RFC 8707); empty for none.
    var resources: [String] { fields.values(ResourceIndicators.parameter) }

    /// Decodes a form-encoded value; nil if malformed.
    static func decode(_ text: [UInt8]) -> [UInt8]? {
        let form = Array("v=".utf8) + text
        guard !text.contains(UInt8(ascii: "&")), let fields = try? FormFields.parse(form.span) else { return nil }
        return fields.first("v").map { Array($0.utf8) }
    }

    private static func parse(_ text: [UInt8]) throws(TokenFailure) -> FormFields {
        do throws(FormError) {
            return try FormFields.parse(text.span)
        } catch {
            throw error == .tooLarge ? .bodyTooLarge : .malformedForm
        }
    }

    /// Whether the media type is one of these, with any parameters.
    package static func isForm(_ contentType: String?, _ types: [String] = [mediaType]) -> Bool {
        guard let contentType else { return false }
        let mediaType = contentType.utf8.prefix { $0 != UInt8(ascii: ";") }
            .filter { $0 != ASCII.space && $0 != ASCII.tab }.map(ASCII.lowercased)
        return types.contains { $0.utf8.elementsEqual(mediaType) }
    }
}
