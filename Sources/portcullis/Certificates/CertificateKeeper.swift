import ACME
import Endpoints
import Gateway
import Model
import Outbound
import Reactor

/// Gets certificates from an authority, beside the requests of a running gateway.
struct CertificateKeeper {
    private let plan: RetainedCertificates.Plan
    private let retained: RetainedState

    private static let queue = SerialQueue(label: "portcullis.certificates")
    /// The longest time until a certificate that another gateway has got is noticed.
    private static let longestMilliseconds: Int64 = 2000
    /// Between reloads for a certificate while the configuration is not valid.
    private static let reloadMilliseconds: Int64 = 60_000
    private static let longestSecondsOfEnd = 3
    /// How often a record is kept, and the pauses between: together less than it is held.
    private static let attempts = 20
    private static let pauseMilliseconds: Int64 = 3000

    /// Gets certificates that are due, and reloads for new ones, until the process ends.
    static func run(for process: GatewayProcess, _ shared: SharedState, afterMilliseconds delay: Int64 = 0) {
        queue.submit(afterMilliseconds: Int(delay)) { [weak process, weak shared] in
            guard let process, let shared, !process.isEnding else { return }
            guard let plan = process.retained.certificates.adopted else {
                return run(for: process, shared, afterMilliseconds: longestMilliseconds)
            }
            let (isNew, next) = CertificateKeeper(plan: plan, retained: process.retained).tend()
            guard isNew else { return run(for: process, shared, afterMilliseconds: next) }
            let isAccepted = process.configurationThread.submit { [weak shared] in
                guard let shared, !process.isEnding else { return }
                let isReloaded = process.reload(shared).status == 204
                run(for: process, shared, afterMilliseconds: isReloaded ? 0 : reloadMilliseconds)
            }
            if !isAccepted { run(for: process, shared, afterMilliseconds: longestMilliseconds) }
        }
    }

    /// Waits until an attempt that is given up has released its record, so that the next process need not wait for it; some
    /// seconds at most.
    static func finish() {
        let isIdle = Promise<Void>()
        queue.submit { isIdle.fulfill(()) }
        _ = isIdle.wait(seconds: longestSecondsOfEnd)
    }

    /// Makes the attempts that are due.
    /// - Returns: whether there is another certificate than a listener presents; and the milliseconds until the next look.
    private func tend() -> (isNew: Bool, next: Int64) {
        // The store may not have answered when the configuration was read.
        var isNew = plan.accountKey == nil && (try? plan.archive.accountKey(makesKeys: true)) ?? nil != nil
        var next = CertificateKeeper.longestMilliseconds
        for (names, presented) in plan.presented {
            do throws(KeyFileError) {
                let record = try tend(names)
                _ = retained.certificates.note(failure: nil, for: names)
                if let obtained = record.obtained, obtained != presented { isNew = true }
                next = min(next, (record.due(now: Clock.wallSeconds) - Clock.wallSeconds) * 1000)
            } catch {
                if retained.certificates.note(failure: error.message, for: names) { report(error.message, names) }
            }
        }
        return (isNew, max(1000, next))
    }

    /// The record after the attempt that was due, if any.
    private func tend(_ names: [String]) throws(KeyFileError) -> CertificateRecord {
        let known = try asked(plan.archive.record(names, plan.settings))
        guard let accountKey = plan.accountKey, known.record.due(now: Clock.wallSeconds) <= Clock.wallSeconds,
            !retained.certificates.isEnding,
            retained.certificates.begins(names, plan.settings, now: Clock.wallSeconds)
        else { return known.record }
        // Another gateway may be first.
        guard let held = try plan.archive.replace(known, with: known.record.held(at: Clock.wallSeconds), plan.settings)
        else {
            return try plan.archive.record(names, plan.settings).record
        }
        let after: CertificateRecord
        do throws(ACMEFailure) {
            let obtained = try ACMEOrder.certificate(
                for: names, plan.settings, replacing: held.record.obtained, account: accountKey,
                by: surroundings)
            after = held.record.renewed(with: obtained, at: Clock.wallSeconds)
            retained.log.write(
                .certificateObtained, [("names", .texts(names)), ("until", .number(Int(after.notAfter)))])
        } catch {
            if retained.certificates.isEnding {
                after = held.record.released
            } else {
                after = held.record.failed(error, at: Clock.wallSeconds)
                report(error.detail, names, nextAttempt: after.nextAttempt)
            }
        }
        return try keep(after, insteadOf: held)
    }

    /// The record with what the authority suggests, if it is time to ask. An authority that does not answer is asked again later:
    /// the certificate is renewed in time without it.
    private func asked(
        _ known: CertificateArchive.KeptRecord
    ) throws(KeyFileError) -> CertificateArchive.KeptRecord {
        let now = Clock.wallSeconds
        guard known.record.asks(now: now), let obtained = known.record.obtained, !retained.certificates.isEnding else {
            return known
        }
        let suggestion = try? RenewalSuggestion.ask(about: obtained, plan.settings, by: surroundings)
        if let kept = try plan.archive.replace(known, with: known.record.told(suggestion, at: now), plan.settings) {
            return kept
        }
        return try plan.archive.record(known.record.names, plan.settings)
    }

    /// Keeps a record. Tries again where the store does not answer, since a certificate would be lost.
    /// - Returns: what is kept now.
    private func keep(
        _ record: CertificateRecord, insteadOf held: CertificateArchive.KeptRecord
    ) throws(KeyFileError) -> CertificateRecord {
        for attempt in 1... {
            do throws(KeyFileError) {
                if let kept = try plan.archive.replace(held, with: record, plan.settings) { return kept.record }
                break
            } catch {
                guard error.isTransient, attempt < CertificateKeeper.attempts,
                    surroundings.pause(CertificateKeeper.pauseMilliseconds)
                else { throw error }
            }
        }
        if record.obtained != held.record.obtained {
            report("the certificate is lost: what is known of it has changed meanwhile", record.names)
        }
        return try plan.archive.record(record.names, plan.settings).record
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
            pause: { retained.certificates.pause(milliseconds: $0) },
            monotonicMilliseconds: { Clock.monotonicMilliseconds }, wallSeconds: { Clock.wallSeconds })
    }
}
