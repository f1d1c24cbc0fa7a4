/// Names of request fields, beside those of standards, by which clients say who they are.
package enum CallerFields {
    /// The id of a client.
    package static let backendID: StaticString = "Oracle-Mobile-Backend-ID"
    /// The provider of a social login.
    package static let socialProvider: StaticString = "Oracle-Mobile-Social-Identity-Provider"
    /// The token of a social login.
    package static let socialToken: StaticString = "Oracle-Mobile-Social-Access-Token"
    /// The key of an application.
    package static let applicationKey: StaticString = "X-Apiomat-Apikey"

    /// Those that are secret.
    package static let secrets = ["\(socialToken)", "\(applicationKey)"]
    /// Fields with credentials of callers, those of standards as well.
    package static let credentials = ["Authorization", "DPoP"] + secrets
    /// Fields that the credential beside them is checked against.
    package static let claims = ["\(backendID)", "\(socialProvider)"]
}
