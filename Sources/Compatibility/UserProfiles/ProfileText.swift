import Bytes
import Endpoints
import Model

extension JSONWriter {
    /// The members for the attributes of a user that have a value. The id is always included (UPS-01).
    ///
    /// - Parameter wanted: nil for all.
    mutating func write(_ user: User, _ wanted: [ProfileAttribute]?) {
        for attribute in ProfileAttribute.allCases {
            guard attribute == .id || wanted?.contains(attribute) ?? true else { continue }
            if let value = attribute.value(of: user) { member(attribute.rawValue, value) }
        }
    }

    mutating func person(_ user: User, _ wanted: [ProfileAttribute]?) {
        object { $0.write(user, wanted) }
    }

    /// A page of a list, in the shape of UPS-02.
    mutating func page(_ page: ProfileQuery.Page, of total: Int, _ items: (inout JSONWriter) -> Void) {
        object { writer in
            writer.name("items")
            writer.beginArray()
            items(&writer)
            writer.endArray()
            writer.member("total", total)
            writer.member("pagePosition", page.position)
            writer.member("pageSize", page.size)
        }
    }
}

extension EndpointResponse {
    /// A response of the profile service, which must not be cached.
    static func profile(
        _ body: [UInt8], status: Int = 200, tag: String? = nil, reason: Reason = .profileRead
    ) -> EndpointResponse {
        var response = personal(body, reason: reason)
        response.status = status
        if let tag { response.headers.append((name: "ETag", value: tag)) }
        return response
    }

    static func person(
        _ user: User, _ wanted: [ProfileAttribute]?, status: Int = 200, tag: String? = nil,
        reason: Reason = .profileRead
    ) -> EndpointResponse {
        .profile(JSONWriter.object { $0.write(user, wanted) }, status: status, tag: tag, reason: reason)
    }
}
