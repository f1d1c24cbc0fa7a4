/// Names of the groups that form logins belong to.
package enum LoginDomainName {
    /// Of a login that names none.
    package static let standard = "Default"
}
