import Model

/// The reasons that this target declares.
extension Reason {
    // Requests that were served
    package static var profileRead: Reason { .served("profile_read") }
    package static var profileCreated: Reason { .served("profile_created") }
    package static var profileChanged: Reason { .served("profile_changed") }
    package static var profileRemoved: Reason { .served("profile_removed") }

    // Users of applications and user profiles
    package static var profileBearerRequired: Reason { Reason("profile_bearer_required", 401) }
    package static var profileRightMissing: Reason { Reason("profile_right_missing", 403) }
    package static var profileRealmUnknown: Reason { Reason("profile_realm_unknown", 403) }
    package static var profileNoResource: Reason { Reason("profile_no_resource", 404) }
    package static var profileUnknownPerson: Reason { Reason("profile_unknown_person", 404) }
    package static var profileUnknownGroup: Reason { Reason("profile_unknown_group", 404) }
    package static var profileUnknownAttribute: Reason { Reason("profile_unknown_attribute", 404) }
    package static var profileNoManager: Reason { Reason("profile_no_manager", 404) }
    package static var profileNotMember: Reason { Reason("profile_not_member", 404) }
    package static var profileMalformedQuery: Reason { Reason("profile_malformed_query", 400) }
    package static var profileMalformedBody: Reason { Reason("profile_malformed_body", 400) }
    package static var profileInvalidAttribute: Reason { Reason("profile_invalid_attribute", 400) }
    package static var profileAttributeRefused: Reason { Reason("profile_attribute_refused", 400) }
    package static var profileMailTaken: Reason { Reason("profile_mail_taken", 409) }
    package static var profileGroupTaken: Reason { Reason("profile_group_taken", 409) }
    package static var profileGroupInUse: Reason { Reason("profile_group_in_use", 409) }
    package static var profileConflict: Reason { Reason("profile_conflict", 409) }
}
