/// What users of a key need to know beside its value.
package struct KeyFacts: Sendable, Equatable {
    /// When a changed value applies.
    package enum Change: Sendable {
        /// At a reload.
        case reload
        /// At the next start of the process.
        case restart
        /// Of a list: at a reload, except that added and removed elements wait for the next start.
        case elementsAtRestart
    }

    /// The first version that has the key; nil for 0.9, the first numbered version.
    package var since: String?
    package var change = Change.reload

    package init(since: String? = nil, change: Change = .reload) {
        self.since = since
        self.change = change
    }
}
