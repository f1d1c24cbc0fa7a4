/// What a peer has left to spend, and what one field block has cost so far.
final class H2Floods {
    private let limits: H2Limits
    private var resets: H2Budget
    private var provoked: H2Budget
    private var settings: H2Budget
    private var pings: H2Budget
    private var empties: H2Budget
    private var windowUpdates: H2Budget
    private var priorities: H2Budget
    private var blockBytes = 0
    private var continuations = 0

    init(_ limits: H2Limits) {
        self.limits = limits
        resets = H2Budget(limits.maximumResets)
        provoked = H2Budget(limits.maximumProvokedResets)
        settings = H2Budget(limits.maximumSettings)
        pings = H2Budget(limits.maximumPings)
        empties = H2Budget(limits.maximumEmptyFrames)
        windowUpdates = H2Budget(limits.maximumWindowUpdates)
        priorities = H2Budget(limits.maximumPriorities)
    }

    /// A frame begins to come in. Answers the budget it exceeds.
    ///
    /// - Parameter isReset: it ends a stream whose response is not done.
    func frame(_ header: H2FrameHeader, isReset: Bool, now: Int64) -> H2Failure? {
        switch header.type {
        case .data:
            return header.length == 0 && !header.endsStream ? spend(\.empties, now, .emptyFrameFlood) : nil
        // We have said that we want none (RFC 9113 section 8.4).
        case .pushPromise: return .protocolError
        case .headers:
            blockBytes = header.length
            continuations = 0
            if header.length == 0, let failure = spend(\.empties, now, .emptyFrameFlood) { return failure }
            return checkBlock()
        case .continuation:
            blockBytes &+= header.length
            continuations &+= 1
            return checkBlock()
        case .priority where header.stream == 0: return .protocolError
        case .priority, .goAway, .other: return spend(\.priorities, now, .priorityFlood)
        case .reset: return isReset ? spend(\.resets, now, .resetFlood) : nil
        case .settings: return spend(\.settings, now, .settingsFlood)
        case .ping: return spend(\.pings, now, .pingFlood)
        case .windowUpdate: return spend(\.windowUpdates, now, .windowUpdateFlood)
        }
    }

    /// What a compressed block may be, seen before it is decoded; no flag that ends it need ever come.
    private func checkBlock() -> H2Failure? {
        if blockBytes > limits.maximumBlockBytes { return .blockTooLarge }
        return continuations > limits.maximumContinuations ? .continuationFlood : nil
    }

    /// A stream has been reset, or is refused, for what the peer did.
    func provokedReset(now: Int64) -> H2Failure? { spend(\.provoked, now, .provokedResetFlood) }

    /// Something that costs the peer nothing and ends nothing.
    func emptyMessage(now: Int64) -> H2Failure? { spend(\.empties, now, .emptyFrameFlood) }

    /// A stream was opened, or a DATA frame sent: cause for WINDOW_UPDATE and PRIORITY.
    func earned(byStream: Bool) {
        windowUpdates.earn(10)
        if byStream { priorities.earn(10) }
    }

    private func spend(
        _ path: ReferenceWritableKeyPath<H2Floods, H2Budget>, _ now: Int64, _ failure: H2Failure
    ) -> H2Failure? {
        self[keyPath: path].spend(now: now, window: limits.budgetWindow) ? nil : failure
    }
}
