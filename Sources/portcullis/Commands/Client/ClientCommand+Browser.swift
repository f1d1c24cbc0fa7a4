import Bytes
import Foundation
import HTTP
import PortcullisClient
import Reactor

/// What comes by the user's browser.
extension ClientCommand {
    /// `client sso login`: prints where the browser is to go, and keeps the token that the gateway posts (SSO-11).
    static func signOn(_ arguments: Arguments, _ place: ClientPlace) throws(ExitStatus) {
        guard arguments.positional[0] == "login" else { throw usage() }
        let client = try place.client()
        guard let clientID = arguments["--client-id"] ?? client.profile.clientID else {
            Terminal.complain("portcullis: --client-id is not given, and the profile has no clientId")
            throw .failed
        }
        var posted: PostedToken?
        try capture(arguments) { address in
            let signOn = BrowserSignOn(
                profile: client.profile, clientID: clientID, redirectURI: "http://\(address)/",
                state: UUID().uuidString + UUID().uuidString)
            Terminal.print(signOn.url)
            return { arrival in
                guard arrival.isForm, let token = signOn.token(in: arrival.text) else { return false }
                posted = token
                return true
            }
        }
        guard let posted else { throw .failed }
        let context = try ExitStatus.rethrowing { () throws(ClientError) in try client.keepSSOToken(posted) }
        print(context)
    }

    /// `client capture`: prints a field of the one request that has it (TOOL-03).
    static func capture(_ arguments: Arguments) throws(ExitStatus) {
        let name = arguments["--field"] ?? "token"
        var found: String?
        try capture(arguments) { address in
            Terminal.complain("http://\(address)/")
            return { arrival in
                guard let fields = try? FormFields.parse(arrival.text.span), !fields.isRepeated(name),
                    let value = fields.first(name), !value.isEmpty
                else { return false }
                found = value
                return true
            }
        }
        guard let found else { throw .failed }
        Terminal.print(found)
    }

    /// - Parameter begin: is told where the listener is, and answers what it waits for.
    private static func capture(
        _ arguments: Arguments, _ begin: (_ address: String) -> (CaptureServer.Arrival) -> Bool
    ) throws(ExitStatus) {
        let wait = arguments["--wait"].map { Decimal.parse(Array($0.utf8).span) } ?? 300
        guard let wait, (1...86_400).contains(wait),
            let address = SocketAddress(place: arguments["--listen"] ?? "127.0.0.1:0"), address.isLoopback
        else { throw usage() }
        let hasCome: Bool
        do throws(KernelError) {
            let listener = try BoundListener(address)
            let take = begin(listener.address.description)
            hasCome = try CaptureServer(listener, take: take).run(seconds: Int64(wait))
        } catch {
            Terminal.complain("portcullis: \(address.description): \(error.text)")
            throw .failed
        }
        guard hasCome else {
            Terminal.complain("portcullis: nothing came within \(wait) s")
            throw .failed
        }
    }
}
