/// What happens to the file of a store while it is in use, for the log.
package enum StoreFileEvent: Sendable, Equatable {
    /// It is gone, replaced or overwritten, as the text says. Nothing is answered before it is there again.
    case lost(String)
    /// It cannot be made anew for now. Tried again every second.
    case failed(String)
    /// It is there again.
    case restored(StoreFileContents)
    /// It was written to by others, and these deny entries were missing in it. They are in it again.
    case amended(entries: Int)
}

/// What a file that was made anew has in it.
package enum StoreFileContents: String, Sendable, Equatable {
    /// All that was in the lost one.
    case complete
    /// The deny list. Refresh tokens, opaque tokens and sessions are gone: their holders log in again.
    case denyList = "deny list"
    /// Another process has made it anew, from what both had.
    case others = "of another process"
    /// The file that was lost is where it was.
    case returned
}
