import Model

/// Token maps and users of ApiOmat applications.
package enum ApplicationEndpoints {
    package static let tokenPath = "/yambas/oauth/token"
    package static let revocationPath = "/yambas/oauth/users/revoke"
    package static let revocationOfAllPath = "/yambas/oauth/users/revokeall"
    /// Above the objects of users.
    package static let userObjectsPath = "/yambas/rest/apps/"

    package static let all: [EndpointDescriptor] = [
        .applicationToken, .applicationRevocation, .applicationRevocationOfAll, .applicationUsers,
    ]

    /// The path of the user class of an application. All names are fit for paths.
    package static func userClassPath(of application: Application) -> String {
        "\(userObjectsPath)\(application.name)/models/\(application.userClass.module)/\(application.userClass.name)"
    }
}

extension EndpointDescriptor {
    /// The token map of an application.
    package static let applicationToken = EndpointDescriptor(
        "application_token", at: ApplicationEndpoints.tokenPath, "POST", needs: .applications)
    /// Ends the pair of a bearer token.
    package static let applicationRevocation = EndpointDescriptor(
        "application_revocation", at: ApplicationEndpoints.revocationPath, "GET, POST", needs: .applications)
    /// Ends all tokens that a user has in an application.
    package static let applicationRevocationOfAll = EndpointDescriptor(
        "application_revocation_of_all", at: ApplicationEndpoints.revocationOfAllPath, "GET, POST",
        needs: .applications)
    /// The users of applications. All other objects are data of upstreams.
    package static let applicationUsers = EndpointDescriptor(
        "application_users",
        at: { settings in
            let classes = settings.applications.map(ApplicationEndpoints.userClassPath)
            return classes.isEmpty ? [ApplicationEndpoints.userObjectsPath] : classes + classes.map { "\($0)/" }
        }, "GET, HEAD, POST, PUT", needs: .applications)
}
