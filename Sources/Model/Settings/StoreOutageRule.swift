/// What happens to bearer requests while the store does not say what other processes have revoked.
package enum StoreOutageRule: String, Sendable, CaseIterable {
    /// They are refused: 503.
    case deny
    /// The last known list goes on.
    case allow
}
