import Configuration
import Crypto
import Declaration
import Gateway
import JOSE
import Model
import Reactor

/// What the parts of an assembly share: the configuration, what outlives it, and what is found to be wrong.
///
/// An error that only shows here (an unreadable key file, an invalid JWK set) is reported at its place in the
/// configuration.
final class AssemblyContext {
    let loaded: LoadedConfiguration
    let configuration: GatewayConfiguration
    /// Whether missing key files are created; `check` does not write files.
    let makesKeys: Bool
    let retained: RetainedState
    private(set) var diagnostics: [Diagnostic] = []
    /// Indices in `diagnostics` of warnings that do not prevent a start and that `check` reports as errors.
    private var raised: Set<Int> = []
    /// The gateway's own certificates, by their place in the configuration.
    private(set) var certificates: [(pointer: String, summary: CertificateSummary)] = []
    /// Keys of issuers that publish theirs.
    var issuerKeys: [IssuerKeys] = []
    /// Public keys with which the gateway authenticates to servers of others, under the names in its assertions.
    var providerKeys: [JSONWebKey] = []

    init?(_ loaded: LoadedConfiguration, retained: RetainedState, makesKeys: Bool) {
        guard let configuration = loaded.configuration else { return nil }
        precondition(loaded.absences == nil || !retained.isServing, "a gateway serves no review")
        self.loaded = loaded
        self.configuration = configuration
        self.retained = retained
        self.makesKeys = makesKeys
    }

    /// The id of the client that a reference names; nil for none.
    func backendID(_ reference: String) -> String? {
        configuration.clients.first { $0.client.reference == reference }?.client.id
    }

    // MARK: Files

    /// The contents of a file; nil after an error, and in a review for one that is absent.
    func read(_ path: String, at pointer: String) -> [UInt8]? {
        if isAbsent(path, at: pointer) { return nil }
        do throws(UnreadableFile) {
            return try FileText.read(path)
        } catch {
            self.error(pointer, error.text)
            return nil
        }
    }

    /// Whether a review does without this file.
    func isAbsent(_ path: String, at pointer: String) -> Bool {
        loaded.absences?.notes(file: path, in: loaded.directory, at: pointer) ?? false
    }

    /// What stands in a review for a value whose file is absent, so that no rule goes with it; nil otherwise.
    func standIn<Value>(_ value: Value) -> Value? { loaded.absences == nil ? nil : value }

    // MARK: Findings

    var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

    /// The diagnostics as `check` reports them.
    var checked: [Diagnostic] {
        diagnostics.enumerated().map { place, diagnostic in
            var diagnostic = diagnostic
            if raised.contains(place) { diagnostic.severity = .error }
            return diagnostic
        }
    }

    /// Reports a warning that `check` reports as an error.
    func errorOfCheck(_ pointer: String, _ message: String, expected: String? = nil) {
        raised.insert(diagnostics.count)
        report(pointer, message, expected: expected, severity: .warning)
    }

    func error(_ pointer: String, _ message: String) { report(pointer, message, expected: nil, severity: .error) }

    func warning(_ pointer: String, _ message: String) { report(pointer, message, expected: nil, severity: .warning) }

    /// Reports an expired certificate: a warning, or an error of `check --production`.
    func expired(_ pointer: String, _ message: String) {
        if loaded.isForProduction { errorOfCheck(pointer, message) } else { warning(pointer, message) }
    }

    /// Notes the end for metrics.
    func noteEnd(of certificate: CertificateSummary, at pointer: String) {
        if !certificates.contains(where: { $0.pointer == pointer }) { certificates.append((pointer, certificate)) }
    }

    /// Notes the end for metrics, and warns 30 days before it, or in the last third of shorter certificates.
    /// - Parameter isRenewed: whether the gateway renews the certificate itself, for which it must be able to start.
    func warnOfEnd(of certificate: CertificateSummary, at pointer: String, isRenewed: Bool = false) {
        noteEnd(of: certificate, at: pointer)
        let now = Clock.wallSeconds
        let names = certificate.shownNames
        if certificate.isPremature(at: now) {
            warning(pointer, "the certificate for \(names) is not valid yet")
        } else if certificate.isExpired(at: now) {
            let message = "the certificate for \(names) has expired"
            isRenewed ? warning(pointer, message) : expired(pointer, message)
        } else {
            let left = certificate.notAfter - now
            guard left < min(30 * 86_400, (certificate.notAfter - certificate.notBefore) / 3) else { return }
            let text = left < 2 * 86_400 ? "\(left / 3600) hours" : "\(left / 86_400) days"
            warning(pointer, "the certificate for \(names) expires in \(text)")
        }
    }

    func report(_ pointer: String, _ message: String, expected: String?, severity: Severity) {
        add([loaded.diagnostic(pointer: pointer, message: message, severity: severity, expected: expected)])
    }

    func add(_ found: [Diagnostic]) { diagnostics += found }
}

/// A part of an assembly: what is made of some sections of the configuration. Parts keep nothing of their own: one
/// is made where it is needed.
protocol AssemblyPart {
    var context: AssemblyContext { get }
}

extension AssemblyPart {
    var configuration: GatewayConfiguration { context.configuration }
    var retained: RetainedState { context.retained }
}

extension CertificateSummary {
    /// Its host names, or else its subject.
    var shownNames: String { names.isEmpty ? subject : names.joined(separator: ", ") }
}
