import Model

/// The reasons that this target declares.
extension Reason {
    // Requests that were served
    package static var userObject: Reason { .served("user_object") }
    package static var userChanged: Reason { .served("user_changed") }
    package static var userCreated: Reason { .served("user_created") }

    // Users of applications and user profiles
    package static var writePermissionRequired: Reason { Reason("write_permission_required", 403) }
    package static var signUpDisabled: Reason { Reason("sign_up_disabled", 403) }
    package static var noSuchObject: Reason { Reason("no_such_object", 404) }
    package static var tokenInUse: Reason { Reason("token_in_use", 409) }
}
