/// Events of a store file in use, for the log.
package enum StoreFileEvent: Sendable, Equatable {
    /// It was removed, replaced or overwritten, as the text says. Operations fail until it is restored.
    case lost(String)
    /// It cannot be restored for now. Retried every second.
    case failed(String)
    /// It was restored.
    case restored(StoreFileContents)
    /// Others wrote to it, and these deny entries were missing. They were added again.
    case amended(entries: Int)
}

/// Contents of a restored file.
package enum StoreFileContents: String, Sendable, Equatable {
    /// Everything that was in the lost file.
    case complete
    /// The deny list. Refresh tokens, opaque tokens and sessions are lost: their holders must log in again.
    case denyList = "deny list"
    /// Restored by another process, from its own state and this one's.
    case others = "of another process"
    /// The lost file is back in its place.
    case returned
}
