import Bytes
import ClientStore
import Foundation
import Synchronization

@testable import PortcullisClient

/// A directory of its own for one test, removed with it, and clients that keep their tokens there.
final class Fixture: Sendable {
    let directory: String
    let gateway = ScriptedGateway()
    let clock = Mutex<Int64>(1_000_000)

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "portcullis-client-\(UUID().uuidString)")
        directory = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    var store: CredentialStore { CredentialStore(directory: directory) }

    /// A profile with a mobile service domain.
    static var profile: ClientProfile {
        var profile = ClientProfile(baseURL: ScriptedGateway.base)
        profile.backendName = "inventory"
        profile.backendVersion = "1.0"
        profile.mobileBackendID = "mbe-inv-1"
        profile.clientID = "app+one"
        profile.clientSecret = "s:cret"
        profile.serviceDomain = "Mobile"
        profile.appName = "DemoApp"
        return profile
    }

    /// A client as a fresh start of the program has it.
    func client(
        _ profile: ClientProfile = Fixture.profile, prompts: ClientPrompts = ClientPrompts()
    ) -> GatewayClient {
        GatewayClient(
            profile: profile, store: store, transport: gateway, prompts: prompts,
            now: { [self] in clock.withLock { $0 } })
    }

    /// One that has logged in.
    func loggedIn(_ profile: ClientProfile = Fixture.profile) async throws -> GatewayClient {
        let client = client(profile)
        try await client.authenticate(user: "joe", password: ScriptedGateway.password)
        gateway.forget()
        return client
    }

    func pass(seconds: Int64) { clock.withLock { $0 += seconds } }

    func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: "\(directory)/\(name)")))
    }

    /// A file of `Tests/Fixtures`.
    static func json(_ path: String) -> JSONNode {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        guard let contents = try? Data(contentsOf: folder.appending(path: "Fixtures/\(path)")),
            let node = try? JSONNode.parse(Array(contents).span)
        else { fatalError("Tests/Fixtures/\(path) is missing or no JSON") }
        return node
    }
}
