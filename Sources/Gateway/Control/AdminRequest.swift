import Bytes
import HTTP
import Identity

/// A request to look at the configuration or to change it, as the admin listener got it or a command made it.
package struct AdminRequest: Sendable {
    package struct Parameter: Equatable, Sendable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Longest body that is taken, in bytes.
    package static let maximumBodyBytes = 1 << 20
    /// The same for a list of users as CSV: some hundred thousand.
    package static let maximumListBytes = 64 << 20

    package var method: Method
    /// The segments of the path behind `/admin`, decoded: `["users", "joe"]`.
    package var path: [String]
    package var parameters: [Parameter]
    /// The value of `Content-Type`; nil for none.
    package var contentType: String?
    /// The value of `If-Match`; nil for none.
    package var condition: String?
    /// The same of a user's profile alone; nil for none.
    package var userCondition: UserCondition?
    package var body: [UInt8]
    /// The origin of the request; empty where a command asks.
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
        parameters.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The segments of a path and the parameters of a query as they came. Nil where one is malformed, no UTF-8 or has
    /// control characters, or a parameter is repeated: two readers could take it differently.
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
