import Model

/// Chooses the requests that are in the access log, where that has only a share of them. Choosing at random keeps clients
/// that come in a rhythm from being logged always or never.
struct LogSampler {
    /// SplitMix64: the choice protects nothing, and costs a few instructions.
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Whether a request with this response is logged.
    mutating func takes(_ response: ExchangeResponse, _ sample: AccessLogSample) -> Bool {
        // What a rule on trial would have refused is logged as a refusal is.
        let isSuccess = response.status < 400 && response.reason.isServed && response.trialDenial == nil
        return takes(oneOf: isSuccess ? sample.successes : sample.failures)
    }

    private mutating func takes(oneOf count: Int) -> Bool {
        if count == 1 { return true }
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return (mixed ^ (mixed >> 31)) % UInt64(count) == 0
    }
}
