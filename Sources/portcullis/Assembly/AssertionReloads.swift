import Gateway
import Identity
import Reactor

/// Reloads of policy and certificates on request: one thread, and counters over all configurations of the process.
final class AssertionReloads: Sendable {
    let policyFailures = ReloadFailures()
    let certificateFailures = ReloadFailures()
    private let queue = SerialQueue(label: "portcullis.assertions")

    /// A reader that runs on this thread.
    /// - Parameter log: for failures; nil for commands, which never reload.
    func reader<Value: Sendable>(
        of source: String, log: EventLog?, _ read: @escaping @Sendable () -> Value?
    ) -> ReloadingValue<Value>.Reader {
        { [queue] done in
            queue.submit {
                let value = read()
                if value == nil {
                    log?.write(
                        .assertionReloadFailed,
                        [("source", .text(source)), ("detail", .text("the last good one stays; `check` tells why"))])
                }
                done(value)
            }
        }
    }
}
