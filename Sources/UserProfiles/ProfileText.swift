import Bytes
import Endpoints
import HTTP
import Identity
import Model

extension JSONWriter {
    /// The attributes of a user, those that have a value. The id is always among them (UPS-01).
    ///
    /// - Parameter wanted: nil for all.
    mutating func write(_ user: User, _ wanted: [ProfileAttribute]?) {
        for attribute in ProfileAttribute.allCases {
            guard attribute == .id || wanted?.contains(attribute) ?? true else { continue }
            if let value = attribute.value(of: user) { member(attribute.rawValue, value) }
        }
    }

    mutating func person(_ user: User, _ wanted: [ProfileAttribute]?) {
        beginObject()
        write(user, wanted)
        endObject()
    }

    /// A part of a list, in the shape of UPS-02.
    mutating func page(_ page: ProfileQuery.Page, of total: Int, _ items: (inout JSONWriter) -> Void) {
        beginObject()
        name("items")
        beginArray()
        items(&self)
        endArray()
        member("total", total)
        member("pagePosition", page.position)
        member("pageSize", page.size)
        endObject()
    }
}

extension EndpointResponse {
    /// A reply of the profile service, which nobody may keep.
    static func profile(
        _ body: [UInt8], status: Int = 200, tag: String? = nil, reason: Reason = .profileRead
    ) -> EndpointResponse {
        var response = personal(body, reason: reason)
        response.status = status
        if let tag { response.headers.append((name: "ETag", value: tag)) }
        return response
    }
}

extension UserProfileService {
    /// Tells one state of a profile from others.
    static func tag(of user: User) -> String {
        var writer = JSONWriter()
        writer.person(user, nil)
        return EntityTag.tag(of: writer.bytes)
    }

    /// That an `If-Match` has the state of the profile.
    static func condition(_ field: String) -> UserCondition {
        UserCondition(field) { EntityTag.isWanted(tag(of: $0), by: field) }
    }
}
