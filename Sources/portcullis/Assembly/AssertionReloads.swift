import Configuration
import Gateway
import Identity
import Reactor
import Synchronization

/// The reading anew of policy and certificates that requests ask for: one thread for all, and what is counted over all
/// configurations of the process.
final class AssertionReloads: Sendable {
    let policyFailures = ReloadFailures()
    let certificateFailures = ReloadFailures()
    private let queue = SerialQueue(label: "portcullis.assertions")
    private let log = Mutex<EventLog?>(nil)

    /// Where failures are said. Commands read nothing twice and have no log.
    func report(to log: EventLog) { self.log.withLock { $0 = log } }

    /// A reader that runs here. It may take its time: files can be slow.
    func reader<Value: Sendable>(
        of source: String, _ read: @escaping @Sendable () -> Value?
    ) -> ReloadingValue<Value>.Reader {
        { [self] done in
            queue.submit { [self] in
                let value = read()
                if value == nil {
                    log.withLock { $0 }?.write(
                        "assertion_reload_failed",
                        [("source", .text(source)), ("detail", .text("the last good one stays; `check` tells why"))])
                }
                done(value)
            }
        }
    }
}
