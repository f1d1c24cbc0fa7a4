/// The uploads at an upstream that end if requests wait for their places, in one worker.
struct SlowUploadList {
    /// Exchanges, from the last to end to the first.
    var found: [UInt64] = []
    /// How many are not judged yet.
    var young = 0
    /// How many requests wait for one of them.
    var wanted = 0
    /// When to look for them again.
    var lookAt: Int64 = .min
}
