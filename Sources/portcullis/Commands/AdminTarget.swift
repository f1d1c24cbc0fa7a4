import Bytes
import Configuration
import Foundation
import Gateway
import Glibc
import HTTP
import Reactor
import Tokens

/// Where an administrative command does its work: on the files of a directory, or on a running gateway. Both take the
/// same requests and give the same answers.
enum AdminTarget {
    case directory(Administration)
    case gateway(AdminClient)

    static let options: Set<String> = ["--config", "--admin", "--admin-token-file"]
    static let tokenVariable = "PORTCULLIS_ADMIN_TOKEN"

    /// What `--help` says of them.
    static let help = """
        Where:
        --config DIR             the files of this directory; a running gateway takes a change up at its next reload
        --admin URL              a running gateway, such as http://127.0.0.1:9901; a change is in force at once
        --admin-token-file FILE  its `admin.adminToken`; by default that is in the variable \(tokenVariable)

        A change is checked with the whole configuration before it is written, and refused where that would not be valid.
        """

    /// Of commands for what only a running gateway keeps.
    static let gatewayHelp = """
        Where:
        --admin URL              a running gateway, such as http://127.0.0.1:9901; a change is in force at once
        --admin-token-file FILE  its `admin.adminToken`; by default that is in the variable \(tokenVariable)
        """

    /// - Throws: `.usage` where neither or both places are named.
    init(_ arguments: Arguments) throws(ExitStatus) {
        switch (arguments["--config"], arguments["--admin"]) {
        case (let directory?, nil) where arguments["--admin-token-file"] == nil:
            self = .directory(Administration(directory: directory, audit: .command(directory: directory)))
        case (nil, let url?):
            let token = try AdminTarget.token(arguments["--admin-token-file"])
            do throws(AdminClient.Failure) {
                self = .gateway(try AdminClient(url: url, token: token))
            } catch {
                Terminal.complain("portcullis: \(error.message)")
                throw .usage
            }
        default:
            throw Arguments.complaint(
                "--config DIR or --admin URL says where, one of them (--admin-token-file belongs to --admin)")
        }
    }

    /// Never an argument: those are seen by everybody on the machine.
    static func token(_ file: String?) throws(ExitStatus) -> String {
        if let file {
            let text = String(decoding: try FileText.named(file), as: UTF8.self)
            return text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard let token = ProcessInfo.processInfo.environment[tokenVariable] else {
            Terminal.complain("portcullis: the admin token is missing; set \(tokenVariable), or --admin-token-file")
            throw .failed
        }
        return token
    }

    /// What the request was answered with; nil for nothing.
    /// - Parameters:
    ///   - consequence: said of a change that is refused.
    ///   - success: the one status of an admin listener where all is well; another success, or 404, is another server's.
    /// - Throws: `.failed` after saying what is wrong.
    @discardableResult
    func perform(
        _ request: AdminRequest, consequence: String = "; nothing was written", success: Int? = nil
    ) throws(ExitStatus) -> JSONNode? {
        let (status, body) = try answer(to: request)
        let answer = try? JSONNode.parse(body.span)
        if let success, status != success, status < 300 || status == 404 {
            Terminal.complain("portcullis: no admin listener of a gateway answers there: status \(status)")
            throw .failed
        }
        guard status >= 300 else { return answer }
        // A change that is made all the same, of which other gateways have not heard.
        AdminTarget.show(answer?["result"])
        for finding in answer?["errors"]?.array ?? [] { Terminal.complain(finding.string ?? "") }
        let isChange = !request.method.isSafe && status < 500
        let detail =
            answer?["detail"]?.string ?? (status == 401 ? "the admin token is not accepted" : "status \(status)")
        Terminal.complain("portcullis: \(detail)" + (isChange ? consequence : ""))
        throw .failed
    }

    private func answer(to request: AdminRequest) throws(ExitStatus) -> (Int, [UInt8]) {
        switch self {
        case .directory(let administration):
            let (response, since) = administration.handle(request)
            // A command has nothing else to do, and what follows it gets tokens that count. That is within a second, unless
            // somebody sets the clock back meanwhile.
            let limit = Clock.monotonicMilliseconds + 2000
            while Clock.wallSeconds < since, Clock.monotonicMilliseconds < limit { usleep(10_000) }
            return (response.status, response.body)
        case .gateway(let client):
            do throws(AdminClient.Failure) {
                return try client.send(request)
            } catch {
                Terminal.complain("portcullis: \(error.message)")
                throw .failed
            }
        }
    }

    /// Prints an answer: a list one element a line, texts without their quotes.
    static func show(_ answer: JSONNode?) {
        guard let answer else { return }
        for element in answer.array ?? [answer] { Terminal.print(text(of: element)) }
    }

    static func text(of node: JSONNode) -> String {
        if let text = node.string { return text }
        var writer = JSONWriter()
        writer.value(node)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension AdminRequest {
    /// A request of a command.
    static func command(
        _ method: Method, _ path: [String], _ parameters: [(String, String?)] = [],
        _ members: [(name: String, value: JSONNode?)]? = nil
    ) -> AdminRequest {
        var body: [UInt8] = []
        if let members {
            var writer = JSONWriter()
            writer.beginObject()
            for (name, value) in members { if let value { writer.member(name, value) } }
            writer.endObject()
            body = writer.bytes
        }
        let given = parameters.compactMap { name, value in value.map { Parameter(name: name, value: $0) } }
        return AdminRequest(method: method, path: path, parameters: given, body: body)
    }
}
