import Model

/// The flood budgets of a peer, and the cost of its current field block.
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

    /// Counts a frame at its header. Returns the failure if a budget is exceeded.
    ///
    /// - Parameter isReset: whether it aborts a stream before its response is complete.
    func frame(_ header: H2FrameHeader, isReset: Bool, now: Int64) -> H2Failure? {
        switch header.type {
        case .data:
            return header.length == 0 && !header.endsStream ? spend(\.empties, now, .emptyFrameFlood) : nil
        // Server push is disabled (RFC 9113 section 8.4).
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

    /// Limits the compressed block before it is decoded, since it may never end.
    private func checkBlock() -> H2Failure? {
        if blockBytes > 2 &* limits.head.maximumHeadBytes { return .blockTooLarge }
        return continuations > limits.maximumContinuations ? .continuationFlood : nil
    }

    /// Counts a stream that was reset or refused because of the peer.
    func provokedReset(now: Int64) -> H2Failure? { spend(\.provoked, now, .provokedResetFlood) }

    /// Counts a frame that is cheap for the peer and ends no message.
    func emptyMessage(now: Int64) -> H2Failure? { spend(\.empties, now, .emptyFrameFlood) }

    /// Earns budget for WINDOW_UPDATE and PRIORITY: a stream was opened or a DATA frame sent.
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
