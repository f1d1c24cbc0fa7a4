import Bytes
import HTTP
import Identity

/// A request to read or change the configuration, from the admin listener or a command.
package struct AdminRequest: Sendable {
    package struct Parameter: Equatable, Sendable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Maximum body length in bytes.
    package static let maximumBodyBytes = 1 << 20
    /// The same for a list of users as CSV: several hundred thousand users.
    package static let maximumListBytes = 64 << 20

    package var method: Method
    /// The decoded path segments after `/admin`: `["users", "joe"]`.
    package var path: [String]
    package var parameters: [Parameter]
    /// The value of `Content-Type`; nil if absent.
    package var contentType: String?
    /// The value of `If-Match`; nil if absent.
    package var condition: String?
    /// A precondition on the user's profile alone; nil for none.
    package var userCondition: UserCondition?
    package var body: [UInt8]
    /// The origin of the request; empty for a command.
    package var origin = ChangeOrigin()

    package init(
        method: Method, path: [String], parameters: [Parameter] = [], contentType: String? = nil,
        condition: String? = nil, body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.parameters = parameters
        self.contentType = contentType
        self.condition = condition
        self.body = body
    }

    /// The value of a parameter of the query.
    package func parameter(_ name: String) -> String? {
        parameters.first { $0.name.isExactly(name) }?.value
    }

    /// Decodes path segments and query parameters. Nil if one is malformed, not UTF-8 or contains control characters,
    /// or a parameter is repeated: readers could interpret these differently.
    package static func decode(
        path: Span<UInt8>, query: Span<UInt8>
    ) -> (path: [String], parameters: [Parameter])? {
        var segments: [String] = []
        var start = 0
        for i in 0...path.count where i == path.count || path[i] == ASCII.slash {
            guard let segment = PathSegment.decode(path.extracting(start..<i)) else { return nil }
            segments.append(segment)
            start = i + 1
        }
        guard let form = try? FormFields.parse(query), form.repeatedName == nil else { return nil }
        return (segments, form.fields.map { Parameter(name: $0.name, value: $0.value) })
    }
}
