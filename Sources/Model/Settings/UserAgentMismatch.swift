/// The challenge for clients whose `User-Agent` does not match the Webgate's (CHAL-04).
package enum UserAgentMismatch: String, Sendable, CaseIterable {
    /// 401 with `Bearer realm="<WebGateName>"`.
    case bearer
    /// The login form for browsers (SCH-02), `bearer` for others.
    case redirect
    /// The Webgate's own challenge.
    case oamAuth = "oam-auth"
}
