import Foundation

/// Time for which processors have computed: other work of the machine does not count.
package enum ProcessorTime {
    /// That of the calling thread.
    package static var ofThread: Duration {
        var time = timespec()
        // SAFETY: the time is written before the call returns.
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
