/// What a client gets whose `User-Agent` is not one of the Webgate's (CHAL-04).
package enum UserAgentMismatch: String, Sendable, CaseIterable {
    /// 401 with `Bearer realm="<WebGateName>"`.
    case bearer
    /// The login form for browsers (SCH-02), and what `bearer` says for others.
    case redirect
    /// The `OAM-Auth` challenge all the same.
    case oamAuth = "oam-auth"
}
