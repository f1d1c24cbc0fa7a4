import Bytes
import Configuration
import Dispatch
import Foundation
import Gateway
import Identity
import JOSE
import Reactor
import Synchronization
import Tokens

/// `portcullis issuer`: the outside issuers whose tokens are exchanged (JWT-41).
enum IssuerCommand: Command {
    static let name = "issuer"
    static let summary = "list issuers whose tokens are exchanged, and test a token"
    static let help = """
        usage: portcullis issuer list --config DIR
               portcullis issuer test TOKEN --config DIR [--backend NAME/VERSION] [--jwks FILE]

        list   the issuers of Security_AuthTokenConfiguration, and what is wrong with those that are disabled
        test   which issuer a token is of, and what each check says of it, also behind one that fails. No token is issued.
               `-` reads the token from standard input.

        --backend  look for the user in the realm of this backend alone, and check whether it may exchange
        --jwks     take the issuer's keys from this file

        exit status of test: 0 the token would be exchanged, 1 it would not
        """

    static func run(_ arguments: [String]) throws(ExitStatus) {
        let arguments = try Arguments(arguments, options: ["--config", "--backend", "--jwks"], flags: [])
        guard let directory = arguments["--config"], let action = arguments.positional.first else { throw usage() }
        switch (action, arguments.positional.count) {
        case ("list", 1): try list(directory)
        case ("test", 2): try IssuerTest(arguments, directory).run(arguments.positional[1])
        default: throw usage()
        }
    }

    private static func usage() -> ExitStatus {
        Terminal.complain(help)
        return .usage
    }

    private static func list(_ directory: String) throws(ExitStatus) {
        let reading = try Assembly.read(directory, makesKeys: false)
        let policy = reading.snapshot.tokens.assertions?.currentPolicy ?? AssertionPolicy()
        for entry in policy.entries {
            let name = entry.name ?? "(no name)"
            guard let issuer = entry.issuer else {
                Terminal.print("\(name)  invalid")
                continue
            }
            let users = issuer.rules.virtualUserEnabled ? "virtual users" : "local users by \(issuer.rules.userMapping)"
            Terminal.print("\(name)  \(issuer.isEnabled ? "enabled" : "disabled")  \(keys(issuer.keys))  \(users)")
        }
        for finding in policy.findings {
            Terminal.complain("\(finding.pointer): \(finding.message)\(finding.expected.map { " (expected \($0))" } ?? "")")
        }
    }

    private static func keys(_ keys: AssertionIssuer.Keys) -> String {
        switch keys {
        case .certificates(let subjects): "\(subjects.count) certificate subject\(subjects.count == 1 ? "" : "s")"
        case .remote(let source): source.jwksURI ?? source.discoveryURI ?? ""
        }
    }
}

/// One run of `issuer test`.
private struct IssuerTest {
    private let reading: Assembly.Reading
    private let backend: Backend?
    private let keySet: KeySet?

    init(_ arguments: Arguments, _ directory: String) throws(ExitStatus) {
        reading = try Assembly.read(directory, makesKeys: false)
        backend = if let reference = arguments["--backend"] { try IssuerTest.backend(reference, reading) } else { nil }
        keySet = if let path = arguments["--jwks"] { try IssuerTest.keys(path) } else { nil }
    }

    func run(_ argument: String) throws(ExitStatus) {
        let text = argument == "-" ? FileHandle.standardInput.readDataToEndOfFile() : Data(argument.utf8)
        let token = Array(text).filter { $0 > ASCII.space }
        guard let sources = reading.snapshot.tokens.assertions else { throw .failed }
        let received: ReceivedToken
        do throws(TokenRejection) {
            received = try ReceivedToken(token.span)
        } catch {
            throw IssuerTest.failed("syntax", AssertionRejection(error), error.rawValue)
        }
        let name = received.issuer ?? ""
        guard case .issuer(let issuer) = sources.currentPolicy.lookup(name) else {
            if case .invalid = sources.currentPolicy.lookup(name) {
                throw IssuerTest.failed("issuer", .invalidIssuer, "\(name); `portcullis check` tells what is wrong")
            }
            throw IssuerTest.failed("issuer", .unknownIssuer, "no issuer of the name \"\(name)\"")
        }
        let now = Clock.wallSeconds
        var keys = keySet
        if keys == nil { keys = try fetchedKeys(received, token, issuer, sources, now: now) }
        guard let keys else { throw .failed }
        let verifier = AssertionVerifier(
            issuer: issuer, users: reading.snapshot.tokens.users, catalogue: RoleCatalogue(reading.configuration.roles))
        let report = verifier.report(
            .init(received, token: token, keys: keys), realm: backend?.realm, lifetime: sources.currentPolicy.lifetime,
            now: now)
        for line in report.lines { IssuerTest.print(line.step, line.verdict) }
        let isAllowed = backend.map { issuer.allows($0) && $0.oauthConsumer } ?? true
        if let backend {
            Terminal.print("\(isAllowed ? "ok    " : "FAILED") backend: \(backend.reference)")
        }
        guard report.isAccepted, isAllowed else { throw .failed }
    }

    private func fetchedKeys(
        _ received: ReceivedToken, _ token: [UInt8], _ issuer: AssertionIssuer, _ sources: AssertionSources, now: Int64
    ) throws(ExitStatus) -> KeySet {
        let result = sources.keys(for: received, token: token, issuer, sources.currentPolicy, now: now).waited()
        switch result {
        case .success(let keys): return keys
        case .failure:
            Terminal.complain("portcullis: the issuer's keys cannot be fetched; --jwks takes them from a file")
            throw .failed
        }
    }

    private static func backend(_ reference: String, _ reading: Assembly.Reading) throws(ExitStatus) -> Backend {
        guard let backend = reading.snapshot.backends.backends.first(where: { $0.reference.utf8.elementsEqual(reference.utf8) }) else {
            Terminal.complain("portcullis: no backend \(reference)")
            throw .failed
        }
        return backend
    }

    private static func keys(_ path: String) throws(ExitStatus) -> KeySet {
        guard let data = FileManager.default.contents(atPath: path) else {
            Terminal.complain("portcullis: \(path) cannot be read")
            throw .failed
        }
        let text = Array(data)
        do throws(KeySetError) {
            return try KeySet(jwks: text.span)
        } catch {
            Terminal.complain("portcullis: \(path): \(error)")
            throw .failed
        }
    }

    private static func print(_ step: String, _ verdict: AssertionReport.Verdict) {
        switch verdict {
        case .passed(let detail): Terminal.print("ok     \(step): \(detail)")
        case .failed(let rejection, let detail): Terminal.print("FAILED \(step): \(rejection.reason) (\(detail))")
        }
    }

    private static func failed(_ step: String, _ rejection: AssertionRejection, _ detail: String) -> ExitStatus {
        print(step, .failed(rejection, detail))
        return .failed
    }
}

extension Effect {
    /// The value, waited for on this thread: for commands, which have nothing else to do.
    fileprivate func waited() -> Value {
        switch self {
        case .done(let value): return value
        case .offload(let work): return work().waited()
        case .await(let begin):
            let answer = Answer<Effect<Value>>()
            begin { answer.put($0) }
            return answer.take().waited()
        }
    }
}

/// A value that another thread brings.
private final class Answer<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let arrival = DispatchSemaphore(value: 0)

    func put(_ value: Value) {
        self.value.withLock { $0 = value }
        arrival.signal()
    }

    func take() -> Value {
        while true {
            arrival.wait()
            if let value = value.withLock({ $0 }) { return value }
        }
    }
}
