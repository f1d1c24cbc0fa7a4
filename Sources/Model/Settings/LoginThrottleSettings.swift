/// Limits of failed logins.
package struct LoginThrottleSettings: Sendable, Equatable {
    /// Wrong passwords for one user in `perMilliseconds`; 0 for any number.
    package var failuresPerUser = 10
    /// The same for one user who has logged in from the network; nil for as many as elsewhere.
    package var failuresAtHome: Int?
    /// Wrong passwords from one network in `perMilliseconds`; 0 for any number.
    package var failuresPerNetwork = 100
    package var perMilliseconds: Int64 = 300_000

    package init() {}
}
