import Configuration
import Gateway
import Identity
import Reactor

/// The reading anew of policy and certificates that requests ask for: one thread for all, and what is counted over all
/// configurations of the process.
final class AssertionReloads: Sendable {
    let policyFailures = ReloadFailures()
    let certificateFailures = ReloadFailures()
    private let queue = SerialQueue(label: "portcullis.assertions")

    /// A reader that runs here. It may take its time: files can be slow.
    /// - Parameter log: where failures are said; nil for commands, which read nothing twice.
    func reader<Value: Sendable>(
        of source: String, log: EventLog?, _ read: @escaping @Sendable () -> Value?
    ) -> ReloadingValue<Value>.Reader {
        { [queue] done in
            queue.submit {
                let value = read()
                if value == nil {
                    log?.write(
                        "assertion_reload_failed",
                        [("source", .text(source)), ("detail", .text("the last good one stays; `check` tells why"))])
                }
                done(value)
            }
        }
    }
}
