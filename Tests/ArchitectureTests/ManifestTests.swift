import Foundation
import Testing

/// What Package.swift promises: no dependency, strict settings everywhere, no more imports than the table gives.
@Suite struct ManifestTests {
    /// Package.swift with its comments, since the names it grants stand in strings.
    static func manifest() throws -> String { try SourceTree.text("Package.swift") }

    /// The targets that the program is built with for the trait Compatibility only.
    static let families: Set<String> = {
        guard let text = try? manifest() else { preconditionFailure("cannot read Package.swift") }
        let pattern = /\.target\(name: "(\w+)", condition: \.when\(traits: \["Compatibility"\]\)\)/
        return Set(text.matches(of: pattern).map { String($0.1) })
    }()

    // GW-06
    @Test func nothingIsDownloaded() throws {
        let text = try Self.manifest()
        #expect(!text.contains(".package("))
        #expect(!text.contains(".binaryTarget("))
        #expect(!text.contains(".plugin("))
        #expect(!FileManager.default.fileExists(atPath: SourceTree.root.appending(path: "Package.resolved").path))
    }

    /// SwiftPM orders the traits at random, so that two builds by other commands compile everything again and again.
    @Test func scriptsBuildByOneCommand() throws {
        let base = SourceTree.root.appending(path: "deploy")
        let names = try FileManager.default.subpathsOfDirectory(atPath: base.path)
        let scripts = names.compactMap { name in
            (try? SourceTree.text("deploy/\(name)")).flatMap { $0.hasPrefix("#!") ? (name, $0) : nil }
        }
        let builders = scripts.filter { $0.1.contains(/swift (build|test|run)\b[^"\n]*--traits/) }
        #expect(scripts.count > 20 && builders.map(\.0) == ["build"])
    }

    @Test(arguments: [
        ".strictMemorySafety()", ".treatAllWarnings(as: .error)", "swiftLanguageModes: [.v6]",
        ".enableUpcomingFeature(\"ExistentialAny\")", ".enableUpcomingFeature(\"MemberImportVisibility\")",
    ])
    func settingsAreStrict(_ setting: String) throws {
        #expect(try Self.manifest().contains(setting))
    }

    @Test func noCheckIsSwitchedOff() throws {
        let text = try Self.manifest()
        #expect(text.matches(of: /unsafeFlags/).count == 2)
        #expect(text.contains(".unsafeFlags([\"-gdwarf-4\"])"))
        #expect(text.contains(".unsafeFlags([\"-Osize\"], .when(configuration: .release))"))
        #expect(!text.contains("-Ounchecked"))
    }

    /// Settings and commands; families always are. What each request passes is built for speed, and what other packages may
    /// build has no flags that would forbid it.
    @Test func coldTargetsAreListed() throws {
        let cold = try Self.manifest().matches(of: /library\(\s*"(\w+)",\s*\[[^\]]*\],\s*isCold: true\)/)
        #expect(
            Set(cold.map { String($0.1) }) == [
                "CommandForms", "Declaration", "Configuration", "Conversion", "Authorization", "Simulation", "ACME",
            ])
    }

    /// Targets get their settings from `library`, `family`, `tests`, `support` and `tool`; the executable is the one exception
    /// and names them itself.
    @Test func everySwiftTargetHasTheSettings() throws {
        let text = try Self.manifest()
        let targets = /\.(?:target|testTarget|executableTarget)\((?!name: "\w+", (?:condition|publicHeadersPath))/
        #expect(text.matches(of: targets).count == 6)
        #expect(text.matches(of: /swiftSettings: settings/).count == 6)
    }

    @Test func dependenciesFollowTheTable() throws {
        let targets = try Self.manifest().matches(
            of: /\s(?:library|family)\(\s*"(\w+)"(?:,\s*\[([^\]]*(?:\[[^\]]*\][^\]]*)*)\])?/)
        #expect(targets.count == ImportTests.targets.count - 1)
        for target in targets {
            let name = String(target.1)
            let allowed = try #require(ImportTests.targets[name], "\(name) is not in the table")
            let granted = (target.2 ?? "").matches(of: /"(C[A-Z]\w+|[A-Z]\w+)"/).map { String($0.1) }
            for dependency in granted where !["SQLite", "SAML"].contains(dependency) {
                #expect(
                    allowed.contains(dependency) || ImportTests.importers[dependency]?.contains(name) == true,
                    "\(name) depends on \(dependency)"
                )
            }
        }
    }
}
