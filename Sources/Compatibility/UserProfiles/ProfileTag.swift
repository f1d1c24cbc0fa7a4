import Bytes
import Endpoints
import Identity
import Model

/// The state of a profile, by which clients name the one that they mean.
enum ProfileTag {
    /// The entity tag of a profile.
    static func tag(of user: User) -> String {
        EntityTag.tag(of: JSONWriter.object { $0.write(user, nil) })
    }

    /// The condition that an `If-Match` names the current state of the profile.
    static func condition(_ field: String) -> UserCondition {
        UserCondition(field) { EntityTag.isWanted(tag(of: $0), by: field) }
    }
}
