import Bytes
import Configuration
import Declaration
import Foundation
import Glibc
import Model
import Testing

/// For any content of a file, the loader answers with diagnostics at places that exist, and never crashes.
@Suite struct RobustnessTests {
    private static let complete = ValidConfigurationTests.root.appending(path: "Tests/Fixtures/configuration/complete")
    static let files = [
        "gateway", "routes", "webgates", "clients", "backends", "users", "roles", "policies", "issuers",
        "trustedIssuers",
        "realms", "certificates", "consumers",
    ]
    private static let replacements: [JSONValue] = [
        .null, .number("1e999"), .string("é\u{0}*"), .object([]),
        .array([JSONNode(.null), JSONNode(.string("GET")), JSONNode(.number("5"))]),
        .object([JSONMember(name: "GET", node: JSONNode(.null)), JSONMember(name: "a/~b", node: JSONNode(.object([])))]
        ),
    ]

    /// Puts a replacement in the place of every value of a file, one at a time; every replacement where
    /// `PORTCULLIS_TEST_FULL` is set.
    @Test(arguments: files)
    func everyValueReplaced(file: String) throws {
        var base: [String: String] = [:]
        for name in Self.files {
            base["\(name).json"] = try String(
                contentsOf: Self.complete.appending(path: "\(name).json"), encoding: .utf8)
        }
        let text = try #require(base["\(file).json"])
        let root = try JSONNode.parse(Array(text.utf8).span)
        let directory = try ConfigurationDirectory([:], on: base)
        let isFull = ProcessInfo.processInfo.environment["PORTCULLIS_TEST_FULL"] != nil
        for (turn, value) in Self.replacements.enumerated() {
            for (place, variant) in variants(of: root, with: JSONNode(value)).enumerated()
            where isFull || place % Self.replacements.count == turn {
                var writer = JSONWriter()
                writer.value(variant)
                try directory.write("\(file).json", String(decoding: writer.bytes, as: UTF8.self))
                let loaded = directory.load(["ADMIN_TOKEN": "x"], production: true)
                for diagnostic in loaded.diagnostics {
                    #expect(!diagnostic.description.contains("\n") && !diagnostic.description.contains("\0"))
                    #expect(diagnostic.line >= 1 && !diagnostic.message.isEmpty)
                }
                #expect(loaded.hasErrors == loaded.diagnostics.contains { $0.severity == .error })
            }
        }
    }

    /// What a path may lead to beside a file.
    enum Other: CaseIterable { case pipe, directory, socket, device }

    @Test(
        "a pipe, directory, socket or device is refused at once, as a section and as a secret",
        arguments: Other.allCases)
    func otherFiles(_ kind: Other) throws {
        var base = ConfigurationDirectory.base
        base["roles.json"] = nil
        let admin = #""admin": {"adminToken": "file:secret"}"#
        let directory = try ConfigurationDirectory(["gateway.json": ConfigurationDirectory.gateway(admin)], on: base)
        for name in ["roles.json", "secret"] {
            let path = directory.url.appending(path: name).path(percentEncoded: false)
            switch kind {
            case .pipe: try #require(unsafe mkfifo(path, 0o600) == 0)
            case .directory: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            case .socket: close(try #require(Self.socket(path)))
            case .device: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/zero")
            }
        }
        let reason = kind == .directory ? "Is a directory" : "Not a regular file"
        let errors = directory.load().lines(.error)
        #expect(errors.count == 2, "\(errors)")
        #expect(errors.contains { $0.contains("/admin/adminToken: ") && $0.contains(reason) }, "\(errors)")
        #expect(errors.contains { $0.hasPrefix("roles.json:1: error: /roles: ") && $0.contains(reason) }, "\(errors)")
    }

    /// A socket that is bound to a path.
    private static func socket(_ path: String) -> Int32? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, size) }
        }
        return result == 0 ? descriptor : nil
    }

    /// Copies of a value with one value somewhere in it replaced.
    private func variants(of node: JSONNode, with replacement: JSONNode) -> [JSONNode] {
        var variants = [replacement]
        switch node.value {
        case .array(let elements):
            for (i, element) in elements.enumerated() {
                for variant in self.variants(of: element, with: replacement) {
                    var copy = elements
                    copy[i] = variant
                    variants.append(JSONNode(.array(copy)))
                }
            }
        case .object(let members):
            for (i, member) in members.enumerated() {
                for variant in self.variants(of: member.node, with: replacement) {
                    var copy = members
                    copy[i].node = variant
                    variants.append(JSONNode(.object(copy)))
                }
            }
        default: break
        }
        return variants
    }
}
