import Bytes
import Configuration
import Declaration
import Endpoints
import Gateway
import Glibc
import HTTP
import Reactor

/// What an administrative command changes: the files of a directory, or a running gateway. Both accept the same requests
/// and give the same responses.
enum AdminTarget {
    case directory(Administration)
    case gateway(AdminClient)

    static let tokenVariable = "PORTCULLIS_ADMIN_TOKEN"

    static let help = """
        WHERE:
        --config DIR             the files of this directory; a running gateway applies a change at its next reload
        \(gatewayOptions)

        \(RunningGateway.jsonHelp)

        A change is written only if the whole configuration is valid with it.
        """

    private static let gatewayOptions = """
        --admin URL              a running gateway, such as http://127.0.0.1:9901; a change takes effect at once
        --admin-token-file FILE  file with `admin.adminToken` (default: the variable \(tokenVariable))
        """

    /// - Throws: `.usage` unless exactly one target is named.
    init(_ arguments: Arguments) throws(ExitStatus) {
        switch (arguments["--config"], arguments["--admin"]) {
        case (let directory?, nil) where arguments["--admin-token-file"] == nil:
            self = .directory(
                Administration(
                    directory: directory, audit: .command(directory: directory),
                    operations: CompatibilityFamilies.operations()))
        case (nil, _?): self = try .running(arguments)
        default:
            throw .misuse("either --config DIR or --admin URL is required (--admin-token-file only with --admin)")
        }
    }

    /// A running gateway, for what only it knows.
    /// - Throws: `.usage` unless exactly one is named, `.failed` without a token.
    static func running(_ arguments: Arguments) throws(ExitStatus) -> AdminTarget {
        .gateway(try RunningGateway.client(arguments, needsToken: true))
    }

    /// The token is never an argument, since all users of a machine can see arguments.
    static func token(_ file: String?) throws(ExitStatus) -> String {
        if let file {
            let text = String(decoding: try FileText.named(file), as: UTF8.self)
            return text.trimming(\.isWhitespace)
        }
        guard let token = Environment.values[tokenVariable] else {
            throw .failure("the admin token is missing; set \(tokenVariable), or --admin-token-file")
        }
        return token
    }

    /// Sends a request and returns the body of its response, if there is one.
    /// - Parameters:
    ///   - consequence: appended to the error message of a change that is refused.
    ///   - success: the status that an admin listener answers with; other successes and 404 mean another server.
    /// - Throws: `.failed` after printing what is wrong.
    @discardableResult
    func perform(
        _ request: AdminRequest, consequence: String = "; nothing was written", success: Int? = nil
    ) throws(ExitStatus) -> JSONNode? {
        let response = try self.answer(to: request)
        let status = response.status
        let answer = try? JSONNode.parse(response.body.span)
        if let success, status != success, status < 300 || status == 404 {
            throw .notAnAdminListener(status)
        }
        guard status >= 300 else {
            if !request.method.isSafe, case .directory(let administration) = self { administration.mentionReload() }
            let hasFiles = AdminOperation.isInFiles(request.path)
            if let note = response.reach?.note(hasFiles: hasFiles) { Terminal.printError("portcullis: \(note)") }
            if let keys = response.unapplied {
                Terminal.printError("portcullis: changed; takes effect after a restart: \(keys)")
            }
            return answer
        }
        // The change may be in force although other gateways were not notified.
        Listing.show(answer?["result"])
        for finding in answer?["errors"]?.array ?? [] { Terminal.printError(finding.string ?? "") }
        let isChange = !request.method.isSafe && status < 500
        let detail =
            answer?["detail"]?.string ?? (status == 401 ? "the admin token is not accepted" : "status \(status)")
        throw .failure("\(detail)" + (isChange ? consequence : ""))
    }

    /// Sends a request.
    /// - Throws: `.failed` after printing that no gateway answers.
    func answer(to request: AdminRequest) throws(ExitStatus) -> AdminClient.Answer {
        switch self {
        case .directory(let administration):
            let (response, since) = administration.handle(request)
            // Tokens that are issued in this second would be revoked with the older ones. The limit holds where the clock
            // is set back meanwhile.
            let limit = Clock.monotonicMilliseconds + 2000
            while Clock.wallSeconds < since, Clock.monotonicMilliseconds < limit { usleep(10_000) }
            return AdminClient.Answer(status: response.status, body: response.body)
        case .gateway(let client):
            do throws(AdminClient.Failure) {
                return try client.send(request)
            } catch {
                throw .failure(error.message)
            }
        }
    }
}

extension Administration {
    /// Says on standard error that a gateway which serves with the directory does not know of a change yet. One whose
    /// listeners the system chose is not seen.
    fileprivate func mentionReload() {
        guard let known = try? configuration.read().configuration, !known.watchesFiles,
            known.listeners.contains(where: { $0.place.isTaken })
        else { return }
        let way =
            known.admin?.token == nil
            ? "SIGHUP, or `systemctl reload`" : "`portcullis reload --config \(configuration.directory)`"
        Terminal.printError(
            "portcullis: a gateway is running with this configuration; it applies the change after \(way)")
    }
}

extension ListenerAddress {
    /// Whether a process listens there.
    fileprivate var isTaken: Bool {
        let address: SocketAddress? =
            switch self {
            case .address(_, port: 0), .inherited: nil
            case .address(let address, let port): SocketAddress(address, port: UInt16(port))
            case .unix(let path, _): SocketAddress(unixPath: path)
            }
        guard let address else { return false }
        do throws(KernelError) {
            try BoundListener.checkFree(address)
            return false
        } catch {
            return error.code == EADDRINUSE
        }
    }
}

extension AdminRequest {
    /// The request of a command. Parameters and members without a value are left out.
    static func command(
        _ method: Method, _ path: [String], query: [(String, String?)] = [],
        body members: [(name: String, value: JSONNode?)]? = nil
    ) -> AdminRequest {
        let body = members.map { members in
            JSONNode.object(members.compactMap { name, value in value.map { (name, $0) } }).serialized
        }
        let parameters = query.compactMap { name, value in value.map { Parameter(name: name, value: $0) } }
        return AdminRequest(method: method, path: path, parameters: parameters, body: body ?? [])
    }
}
