import ACME
import Crypto
import Dispatch
import Model
import Outbound
import Synchronization

/// The certificates that the gateway gets from an authority, of the configuration in force and of the one that was read last.
final class RetainedCertificates: Sendable {
    /// What a configuration says of them.
    struct Plan: Sendable {
        let settings: ACMESettings
        let transport: OutboundTransport
        let archive: CertificateArchive
        /// Nil where it could not be read.
        var accountKey: SigningKey?
        /// What listeners present, by the names; nil for a placeholder.
        var presented: [[String]: ObtainedCertificate?] = [:]
    }

    private let plans = Mutex<(read: Plan?, adopted: Plan?)>((nil, nil))
    private let failures = Mutex<[[String]: String]>([:])
    /// When the last attempt began, in seconds since 1970, by authority and names.
    private let attempts = Mutex<[[String]: Int64]>([:])
    /// Left once the process ends.
    private let life = DispatchGroup()
    private let hasEnded = Atomic(false)

    init() { life.enter() }

    deinit { end() }

    // MARK: The end

    /// The process ends: attempts are given up.
    func end() {
        if !hasEnded.exchange(true, ordering: .relaxed) { life.leave() }
    }

    var isEnding: Bool { hasEnded.load(ordering: .relaxed) }

    /// Waits for some milliseconds.
    /// - Returns: false once the process ends.
    func pause(milliseconds: Int64) -> Bool {
        life.wait(timeout: .now() + .milliseconds(Int(milliseconds))) == .timedOut
    }

    // MARK: Configurations

    /// A configuration is read.
    func begin(_ plan: Plan?) { plans.withLock { $0.read = plan } }

    /// A listener of the configuration that is being read presents this certificate.
    func note(_ certificate: ObtainedCertificate?, for names: [String]) {
        plans.withLock { $0.read?.presented[names] = .some(certificate) }
    }

    /// The configuration that was read last is in force.
    func adopt() { plans.withLock { $0.adopted = $0.read } }

    /// Of the configuration in force; nil where it has no authority.
    var adopted: Plan? { plans.withLock { $0.adopted } }

    // MARK: Attempts

    /// Seconds between attempts of this process at one certificate: a record that cannot be kept, or
    /// read again, makes no loop of orders.
    private static let leastPause: Int64 = 60

    /// Whether an attempt may begin; it counts as begun then.
    func begins(_ names: [String], _ settings: ACMESettings, now: Int64) -> Bool {
        attempts.withLock { attempts in
            let key = ["\(settings.directory)"] + names
            if let last = attempts[key], (last..<last + RetainedCertificates.leastPause).contains(now) { return false }
            attempts[key] = now
            return true
        }
    }

    /// Remembers why the files or the store cannot be used.
    /// - Parameter detail: nil for a success.
    /// - Returns: whether it is another failure than the last.
    func note(failure detail: String?, for names: [String]) -> Bool {
        failures.withLock { last in
            defer { last[names] = detail }
            return last[names] != detail
        }
    }
}
