import Foundation
import PortcullisClient
import Reactor

/// Where `portcullis client` has its profile and keeps its tokens.
struct ClientPlace {
    static let options: Set<String> = ["--home", "--profile", "--socket"]
    static let variable = "PORTCULLIS_CLIENT_HOME"

    static let help = """
        WHERE:
        --home DIR      the profile client.json and the encrypted store; by default the variable \(variable), else
                        ~/.portcullis
        --profile NAME  one of several in client.json, which has tokens of its own: {"profiles": {"NAME": {...}}}
        --profile FILE  another file, whose name has a dot or a slash
        --socket FILE   where the agent listens, in a directory that is its user's alone; by default agent/socket beside the
                        usual profile
        """

    let directory: String
    private let profileFile: String
    /// Which of the file's profiles; nil for the usual one.
    private let profileName: String?
    /// Where the agent of single sign-on listens.
    let agentSocket: String

    init(_ arguments: Arguments) {
        let environment = ProcessInfo.processInfo.environment
        let usual = environment[ClientPlace.variable] ?? "\(environment["HOME"] ?? NSHomeDirectory())/.portcullis"
        directory = arguments["--home"] ?? usual
        // Applications with homes of their own have one agent.
        agentSocket = arguments["--socket"] ?? "\(usual)/agent/socket"
        let profile = arguments["--profile"]
        let isName = profile.map(ClientProfiles.isName) ?? false
        profileName = isName && profile != ClientProfiles.usual ? profile : nil
        profileFile = isName ? "\(directory)/client.json" : profile ?? "\(directory)/client.json"
    }

    /// Profiles with names have tokens of their own: they are those of other backends.
    var store: CredentialStore {
        CredentialStore(directory: profileName.map { "\(directory)/profiles/\($0)" } ?? directory)
    }

    func profile() throws(ExitStatus) -> ClientProfile {
        try ExitStatus.rethrowing { () throws(ClientError) in try ClientProfile(file: profileFile, named: profileName) }
    }

    /// The profile if there is one.
    var knownProfile: ClientProfile? {
        guard FileManager.default.fileExists(atPath: profileFile) else { return nil }
        return try? ClientProfile(file: profileFile, named: profileName)
    }

    func client() throws(ExitStatus) -> GatewayClient {
        try ExitStatus.rethrowing { () throws(ClientError) in try load() }
    }

    /// - Parameter viaAgent: whether the agent's login counts, and not the one that is kept here.
    func load(viaAgent: Bool = false) throws(ClientError) -> GatewayClient {
        try GatewayClient(
            profile: ClientProfile(file: profileFile, named: profileName), store: store, prompts: ClientPlace.prompts,
            agent: viaAgent ? AgentSocket(path: agentSocket) : nil)
    }

    /// Writes the profile, for its owner only: it may hold the secret of an application.
    func write(_ profile: ClientProfile) throws(ExitStatus) {
        let text = try ExitStatus.rethrowing { () throws(ClientError) in
            try ClientProfiles.text(putting: profile, named: profileName, into: profileFile)
        }
        do {
            let folder = URL(filePath: profileFile).deletingLastPathComponent()
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            Terminal.complain("portcullis: the directory of \(profileFile) cannot be made")
            throw .failed
        }
        do throws(KernelError) {
            let draft = try FileDraft(of: profileFile)
            try draft.write(text)
            try draft.replace()
        } catch {
            Terminal.complain("portcullis: \(profileFile) cannot be written: \(error.text)")
            throw .failed
        }
    }

    /// OMS-18: questions go to the terminal.
    private static var prompts: ClientPrompts {
        ClientPrompts(
            credentials: {
                guard TerminalInput.isTerminal else { return nil }
                Terminal.complain("a login is needed; user:")
                guard let user = readLine(strippingNewline: true), let password = NewPassword.line("password:") else {
                    return nil
                }
                return ClientPrompts.Credentials(user: user, password: password)
            },
            answer: { question in NewPassword.line(question.text ?? "\(question.type):") })
    }
}
