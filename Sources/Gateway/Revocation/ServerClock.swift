import Reactor
import Synchronization
import TokenStorage

/// Adjusts the process's wall clock to the clock of the store's server.
package final class ServerClock: GroupClock {
    private let correction = Mutex(ClockCorrection())
    private let log: EventLog

    package init(log: EventLog) { self.log = log }

    package var milliseconds: Int64 { Clock.machineMilliseconds }

    package func learn(_ time: Int64, between sent: Int64, and received: Int64) {
        let event = correction.withLock { correction -> (name: LogEvent, milliseconds: Int64)? in
            let isNews = correction.learn(time, between: sent, and: received)
            Clock.correctionMilliseconds = correction.milliseconds
            guard isNews else { return nil }
            return correction.isRefused
                ? (.clockCorrectionRefused, time - received) : (.clockCorrected, correction.milliseconds)
        }
        guard let event else { return }
        log.write(event.name, [("milliseconds", .number(Int(event.milliseconds)))])
    }
}
