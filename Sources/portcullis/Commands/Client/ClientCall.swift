import Bytes
import Foundation
import PortcullisClient

/// One run of `client request` or `client call`.
struct ClientCall {
    private let arguments: Arguments
    private let client: GatewayClient

    init(_ arguments: Arguments, _ place: ClientPlace) throws(ExitStatus) {
        self.arguments = arguments
        let viaAgent = arguments.has("--via-agent")
        // Whoever asks the agent says nothing himself of who he is.
        if viaAgent, arguments["--token"] != nil || arguments.has("--no-auth") { throw ClientCommand.usage() }
        client = try ExitStatus.rethrowing { () throws(ClientError) in try place.load(viaAgent: viaAgent) }
    }

    func run(_ action: String) throws(ExitStatus) {
        let target = arguments.positional[0]
        if action == "call", !target.hasPrefix("/") { throw ClientCommand.usage() }
        if !arguments.has("--via-agent") { try logIn(action) }
        var request = ClientRequest(
            arguments["-X"] ?? (arguments["--data"] == nil ? "GET" : "POST"), client.profile.url(target),
            body: Array((arguments["--data"] ?? "").utf8), usesSession: !arguments.has("--no-auth"))
        if !request.body.isEmpty {
            request.fields.append(.init("Content-Type", arguments["--type"] ?? "application/json"))
        }
        let (client, wantsJSON, prepared) = (client, arguments.has("--json"), request)
        let response = try ExitStatus.waiting { () async throws(ClientError) in
            try await client.execute(prepared, convertToJSON: wantsJSON)
        }
        show(response, asJSON: wantsJSON)
        guard response.status < 400 else { throw .failed }
    }

    /// OMH-04: the stored token, else the exchange of one that is given.
    private func logIn(_ action: String) throws(ExitStatus) {
        if client.loadSSOTokenExchange() || client.authenticationContext != nil { return }
        if let token = arguments["--token"] {
            let (client, text) = (client, try ClientCommand.read(token))
            if client.profile.identityProvider == "facebook" {
                _ = try ExitStatus.rethrowing { () throws(ClientError) in try client.configure(facebookToken: text) }
                return
            }
            _ = try ExitStatus.waiting { () async throws(ClientError) in
                try await client.authenticateSSOTokenExchange(text, storeAccessToken: false)
            }
            return
        }
        // What is stored and cannot be used is said; a request without any login is none the less a request.
        guard let problem = client.loadProblem, problem.code != .notLoggedIn, !arguments.has("--no-auth") else {
            return
        }
        Terminal.complain("portcullis: \(problem.description)")
        if action == "call" { throw .failed }
    }

    private func show(_ response: ClientResponse, asJSON: Bool) {
        let body = asJSON ? (try? JSONLayout.indented(response.body, by: 2)) ?? response.body : response.body
        FileHandle.standardOutput.write(Data(body))
        if !body.isEmpty, body.last != ASCII.lineFeed { Terminal.print("") }
        if !response.isSuccess {
            let reason = response.reason.isEmpty ? "" : " \(response.reason)"
            Terminal.complain("portcullis: status \(response.status)\(reason)")
        }
        if let problem = response.problem { Terminal.complain("portcullis: \(problem.description)") }
    }
}
