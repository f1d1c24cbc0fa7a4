import ACME
import Endpoints
import Gateway
import Glibc
import Model
import Outbound
import Reactor

/// Certificates from an authority, beside the requests of a running gateway.
extension GatewayProcess {
    private static let certificateQueue = SerialQueue(label: "portcullis.certificates")
    /// The longest time until a certificate that another gateway has got is noticed.
    private static let longestMilliseconds: Int64 = 10_000
    /// Between reloads for a certificate while the configuration is not valid.
    private static let reloadMilliseconds: Int64 = 600_000

    /// Gets certificates that are due, and reloads for new ones, until the process ends.
    func keepCertificates(_ shared: SharedState, afterMilliseconds delay: Int64 = 0) {
        GatewayProcess.certificateQueue.submit(afterMilliseconds: Int(delay)) { [weak self, weak shared] in
            guard let self, let shared, !isEnding else { return }
            guard let plan = retained.certificates.adopted else {
                return keepCertificates(shared, afterMilliseconds: GatewayProcess.longestMilliseconds)
            }
            let keeper = CertificateKeeper(plan: plan, retained: retained, isEnding: { self.isEnding })
            let (isNew, next) = keeper.tend()
            guard isNew else { return keepCertificates(shared, afterMilliseconds: next) }
            let isAccepted = configurationThread.submit { [self, weak shared] in
                guard let shared, !isEnding else { return }
                let isReloaded = reload(shared).status == 204
                keepCertificates(shared, afterMilliseconds: isReloaded ? 0 : GatewayProcess.reloadMilliseconds)
            }
            if !isAccepted { keepCertificates(shared, afterMilliseconds: GatewayProcess.longestMilliseconds) }
        }
    }

    /// Looks after the certificates of a configuration in force.
    private struct CertificateKeeper {
        let plan: RetainedCertificates.Plan
        let retained: RetainedState
        let isEnding: () -> Bool

        /// Makes the attempts that are due.
        /// - Returns: whether there is another certificate than a listener presents; and the milliseconds until the next look.
        func tend() -> (isNew: Bool, next: Int64) {
            var isNew = false
            var next = GatewayProcess.longestMilliseconds
            for (names, presented) in plan.presented {
                do throws(KeyFileError) {
                    let record = try tend(names)
                    _ = retained.certificates.note(failure: nil, for: names)
                    if let obtained = record.obtained, obtained != presented { isNew = true }
                    next = min(next, (record.due(plan.settings) - Clock.wallSeconds) * 1000)
                } catch {
                    if retained.certificates.note(failure: error.message, for: names) { report(error.message, names) }
                }
            }
            return (isNew, max(1000, next))
        }

        /// The record after the attempt that was due, if any.
        private func tend(_ names: [String]) throws(KeyFileError) -> CertificateRecord {
            let known = try plan.archive.record(names, plan.settings)
            guard let accountKey = plan.accountKey, known.record.due(plan.settings) <= Clock.wallSeconds, !isEnding()
            else { return known.record }
            // Another gateway may be first.
            guard let held = try plan.archive.replace(known, with: known.record.held(at: Clock.wallSeconds)) else {
                return try plan.archive.record(names, plan.settings).record
            }
            let after: CertificateRecord
            do throws(ACMEFailure) {
                let obtained = try ACMEOrder.certificate(
                    for: names, plan.settings, account: accountKey, surroundings)
                after = held.record.renewed(with: obtained, plan.settings)
                retained.log.write(
                    .certificateObtained, [("names", .texts(names)), ("until", .number(Int(after.notAfter)))])
            } catch {
                if isEnding() {
                    after = held.record.released
                } else {
                    after = held.record.failed(error, at: Clock.wallSeconds)
                    report(error.detail, names, nextAttempt: after.nextAttempt)
                }
            }
            guard let kept = try plan.archive.replace(held, with: after) else {
                return try plan.archive.record(names, plan.settings).record
            }
            return kept.record
        }

        private func report(_ detail: String, _ names: [String], nextAttempt: Int64? = nil) {
            let wait = nextAttempt.map { [("retry_seconds", EventLog.Value.number(Int($0 - Clock.wallSeconds)))] } ?? []
            retained.log.write(.certificateFailed, [("names", .texts(names)), ("detail", .text(detail))] + wait)
        }

        private var surroundings: ACMESurroundings {
            ACMESurroundings(
                transport: plan.transport,
                call: { call in
                    let answer = Promise<OutboundResult>()
                    retained.outbound.perform(call) { answer.fulfill($0) }
                    return answer.wait()
                },
                pause: { milliseconds in
                    let end = Clock.monotonicMilliseconds + milliseconds
                    while !isEnding(), Clock.monotonicMilliseconds < end { usleep(50_000) }
                    return !isEnding()
                },
                monotonicMilliseconds: { Clock.monotonicMilliseconds }, wallSeconds: { Clock.wallSeconds })
        }
    }
}
