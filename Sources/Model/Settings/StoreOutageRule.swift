/// How bearer requests are handled while revocations of other processes are unavailable.
package enum StoreOutageRule: String, Sendable, CaseIterable {
    /// Refused with 503.
    case deny
    /// Decided by the last known list.
    case allow
}
