/// The family of forwarding fields of proxies.
package enum ForwardedFamily: String, Sendable, CaseIterable {
    /// `X-Forwarded-For`, `-Proto`, `-Host`, `-Port`.
    case xForwarded = "x-forwarded"
    /// `Forwarded` of RFC 7239.
    case forwarded
}
