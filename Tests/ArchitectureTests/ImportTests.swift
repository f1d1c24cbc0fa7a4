import Foundation
import Testing

/// Which target may import which, and the rules about Foundation, Dispatch and C modules.
@Suite struct ImportTests {
    /// The targets that may be imported by each target.
    static let targets: [String: Set<String>] = [
        "Bytes": [],
        "Model": ["Bytes"],
        "Reactor": ["Bytes", "Model"],
        "Declaration": ["Bytes", "Model", "Reactor"],
        "Crypto": ["Bytes", "Model"],
        "HTTP": ["Bytes", "Model"],
        "JOSE": ["Bytes", "Model", "Crypto"],
        "Outbound": ["Model", "Crypto"],
        "Identity": ["Bytes", "Model", "Declaration", "Crypto", "JOSE", "Outbound"],
        "Policy": ["Bytes", "Model", "HTTP", "JOSE", "Crypto", "Outbound", "Identity"],
        "Simulation": ["Bytes", "Model", "HTTP", "Identity", "Policy"],
        "TokenStorage": ["Bytes", "Crypto", "Outbound", "Identity"],
        "Endpoints": ["Bytes", "Model", "HTTP", "Crypto", "Outbound", "Identity"],
        "ACME": ["Bytes", "Model", "JOSE", "Crypto", "Outbound", "Endpoints"],
        "OAuthServer": [
            "Bytes", "Model", "HTTP", "JOSE", "Crypto", "Outbound", "Identity", "TokenStorage", "Endpoints",
        ],
        "LoginPages": [
            "Bytes", "Model", "HTTP", "Crypto", "Outbound", "Identity", "TokenStorage", "Endpoints", "OAuthServer",
        ],
        "Authorization": [
            "Bytes", "Model", "HTTP", "JOSE", "Crypto", "Outbound", "Identity", "TokenStorage", "Endpoints",
            "OAuthServer", "LoginPages",
        ],
        "MobileSocial": [
            "Bytes", "Model", "Declaration", "HTTP", "JOSE", "Crypto", "Outbound", "Identity", "TokenStorage",
            "Endpoints", "OAuthServer", "LoginPages", "Authorization", "Issuers",
        ],
        "ServiceDomains": ["Bytes", "Model", "Declaration", "Configuration"],
        "ApiOmat": [
            "Bytes", "Model", "HTTP", "Crypto", "Outbound", "Identity", "TokenStorage", "Endpoints", "OAuthServer",
            "Configuration", "Declaration", "Facebook",
        ],
        "Facebook": ["Bytes", "Model", "Declaration", "Crypto", "Outbound", "Identity", "Configuration"],
        "UserProfiles": [
            "Bytes", "Model", "Declaration", "HTTP", "Crypto", "Outbound", "Identity", "Endpoints", "Configuration",
        ],
        "SingleSignOn": [
            "Bytes", "Model", "HTTP", "JOSE", "Outbound", "Identity", "Endpoints", "OAuthServer", "LoginPages",
            "Authorization", "Configuration", "Declaration",
        ],
        "Issuers": [
            "Bytes", "Model", "Declaration", "JOSE", "Crypto", "Outbound", "Identity", "TokenStorage", "OAuthServer",
        ],
        "Configuration": ["Bytes", "Model", "Declaration", "Reactor"],
        "Conversion": ["Bytes", "Model", "Declaration"],
        "CommandForms": [],
        "Gateway": [
            "Bytes", "Model", "Reactor", "Crypto", "HTTP", "Outbound", "Policy", "Identity", "TokenStorage",
            "Endpoints", "OAuthServer", "Issuers",
        ],
        "ClientStore": ["Bytes", "Reactor", "Crypto"],
        "PortcullisClient": ["Bytes", "Model", "Reactor", "Crypto", "HTTP", "ClientStore"],
        "portcullis": [
            "Bytes", "Model", "Declaration", "Reactor", "Crypto", "HTTP", "JOSE", "Outbound", "Policy", "Identity",
            "Simulation", "TokenStorage",
            "Endpoints", "OAuthServer", "LoginPages", "Authorization", "MobileSocial", "ServiceDomains", "ApiOmat",
            "Facebook",
            "UserProfiles", "SingleSignOn", "Issuers", "CommandForms", "Configuration", "Conversion", "Gateway",
            "ClientStore", "ACME",
            "PortcullisClient",
        ],
    ]

    /// The targets that import each C module.
    static let importers: [String: Set<String>] = [
        "CLinux": ["Reactor"], "COpenSSL": ["Crypto"], "CNghttp2": ["HTTP"], "CSQLite": ["TokenStorage"],
        "CXMLSec": ["Identity"], "CTexts": ["Configuration", "LoginPages", "portcullis"],
    ]

    /// Targets above the data plane, where Dispatch and Glibc are at home.
    static let comfortable: Set<String> = [
        "CommandForms", "Declaration", "Configuration", "Conversion", "ClientStore", "PortcullisClient", "portcullis",
    ]

    /// Files of the lower targets that may import Dispatch: the queue that runs blocking work off the loops in its order.
    static let dispatchFiles: Set<String> = ["Sources/Reactor/SerialQueue.swift"]

    /// Targets below the comfortable ones that may call the C library: those that talk to the system.
    static let systemTargets: Set<String> = ["Reactor", "Crypto"]

    @Test func everyTargetIsInTheTable() {
        #expect(SourceTree.modules == Self.targets.keys.sorted())
    }

    /// A grant that nothing uses would count as a way by which changes spread.
    @Test(arguments: targets.keys.sorted())
    func everyImportIsUsed(_ target: String) {
        let used = SourceTree.imports[target] ?? []
        #expect(Self.targets[target]?.subtracting(used) == [], "\(target) imports what no file of it names")
    }

    @Test("the table of targets in the documentation is this one")
    func theReadmeShowsTheTable() throws {
        let text = try SourceTree.text("deploy/docs/architecture.md")
        let rows = text.matches(of: /(?m)^\| `(\w+)` \| [^|]+ \| ([^|]*)\|$/)
        var shown: [String: Set<String>] = [:]
        for row in rows where Self.targets[String(row.1)] != nil {
            shown[String(row.1)] = Set(row.2.split(separator: " ").map { String($0.trimmingPrefix("`").dropLast()) })
        }
        #expect(shown == Self.targets)
    }

    @Test("the command alone imports what converts the configurations of other programs")
    func conversionIsApart() {
        let importers = SourceTree.sources.filter { $0.code.contains(/(?m)^import Conversion$/) }.map(\.path)
        #expect(importers == ["Sources/portcullis/Commands/Convert/ConvertCommand.swift"])
    }

    @Test("the diagram of targets shows each above those that it imports")
    func theDiagramShowsTheLayers() throws {
        let diagram = try SourceTree.text("deploy/docs/targets.svg")
        var heights: [String: Int] = [:]
        for label in diagram.matches(of: /<text x="\d+" y="(\d+)"[^>]*>(\w+)</) {
            heights[String(label.2)] = Int(label.1)
        }
        #expect(heights.keys.sorted() == Self.targets.keys.sorted())
        for (target, imports) in Self.targets {
            let above = imports.filter { (heights[$0] ?? 0) <= (heights[target] ?? 0) }
            #expect(above.isEmpty, "\(target) is shown below \(above.sorted())")
        }
    }

    @Test("the diagram of a request names types that exist and that its page explains")
    func theDiagramOfARequestNamesTypes() throws {
        let page = try SourceTree.text("deploy/docs/architecture.md")
        let names = try SourceTree.text("deploy/docs/pipeline.svg").matches(of: /class="type"[^>]*>(\w+)</).map(\.1)
        #expect(names.count == 12)
        for name in names {
            #expect(page.contains("[`\(name)`]("), "\(name) is not explained")
            #expect(SourceTree.sources.contains { $0.path.hasSuffix("/\(name).swift") }, "there is no \(name).swift")
        }
    }

    @Test(arguments: SourceTree.sources)
    func importsFollowTheTable(_ file: SourceFile) throws {
        let allowed = try #require(Self.targets[file.module])
        let strangers = file.imports.filter { Self.targets[$0] != nil && !allowed.contains($0) }
        #expect(strangers.isEmpty, "\(file.path) imports \(strangers.sorted())")
    }

    @Test(arguments: SourceTree.sources)
    func systemModulesAreWhereTheyBelong(_ file: SourceFile) {
        for name in file.imports.sorted() where Self.targets[name] == nil {
            switch name {
            case "Synchronization":
                break
            case "Dispatch":
                #expect(
                    Self.comfortable.contains(file.module) || Self.dispatchFiles.contains(file.path),
                    "\(file.path) imports \(name)"
                )
            case "Glibc":
                #expect(
                    Self.comfortable.contains(file.module) || Self.systemTargets.contains(file.module),
                    "\(file.path) imports \(name)"
                )
            default:
                #expect(Self.importers[name]?.contains(file.module) == true, "\(file.path) imports \(name)")
                // DEC-09: pointers of the libraries stay behind one border.
                if name == "CXMLSec" {
                    #expect(file.path.hasPrefix("Sources/Identity/SAML/Library/"), "\(file.path) imports \(name)")
                }
            }
        }
    }

    /// Foundation brings the data of ICU, 38 MB of a program of 20 otherwise, and FoundationEssentials 4 MB. What they were used
    /// for is in `FileSystem`, `FilePath`, `ChildProgram`, `WorkerThread`, `Environment`, `InternetDate` and `JSONNode`.
    @Test(arguments: SourceTree.sources)
    func nothingImportsFoundation(_ file: SourceFile) {
        let found = file.imports.filter { $0.hasPrefix("Foundation") || $0.hasPrefix("_Foundation") }
        #expect(found.isEmpty, "\(file.path) imports \(found)")
    }

    /// A file that does not import a module could still see it through another one without MemberImportVisibility.
    @Test func importsAreNotReexported() {
        for file in SourceTree.sources {
            #expect(file.words.isDisjoint(with: ["_exported", "_implementationOnly"]), "\(file.path)")
        }
    }

    /// The program has no C of its own but the lines that make files part of it.
    @Test func embeddedFilesAreAllThatTheProgramHasOfC() throws {
        let code = try SourceTree.text("Sources/CTexts/texts.c")
        let embedded = code.matches(of: /(?m)^#embed "..\/..\/([^"]+)"$/).map { String($0.1) }
        let texts = SourceTree.root.appending(path: "config/texts")
        for file in try FileManager.default.contentsOfDirectory(atPath: texts.path) {
            #expect(embedded.contains("config/texts/\(file)"), "\(file) is not part of the program")
        }
        // The commit of the source is the one text that is no file.
        let arrays = embedded.count + 1
        #expect(code.matches(of: /;/).count == 2 * arrays, "an array and a line that returns a byte of it")
        let files = try FileManager.default.contentsOfDirectory(
            atPath: SourceTree.root.appending(path: "Sources/CTexts").path)
        #expect(files.sorted() == ["module.modulemap", "texts.c", "texts.h"])
    }

    @Test(arguments: importers.keys.filter { $0 != "CTexts" }.sorted())
    func cModulesAreHeadersOnly(_ name: String) throws {
        let directory = SourceTree.root.appending(path: "Sources/\(name)")
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(files.contains("module.modulemap"))
        let folders = files.filter { !$0.contains(".") }
        #expect(folders.sorted() == (Self.forwarded[name] ?? []), "\(folders)")
        let others = files.filter { !folders.contains($0) }
        #expect(others.allSatisfy { $0 == "module.modulemap" || $0.hasSuffix(".h") }, "\(others)")
        for folder in folders {
            let forwards = try FileManager.default.subpathsOfDirectory(atPath: directory.appending(path: folder).path)
            for file in forwards where file.hasSuffix(".h") {
                let text = try SourceTree.text("Sources/\(name)/\(folder)/\(file)")
                #expect(text.wholeMatch(of: /#include <\w+\/\w+\/[\w\/]+\.h>\n/) != nil, "\(folder)/\(file)")
            }
        }
    }

    /// Folders of headers that do nothing but include those of a library, by the names that its own headers go by.
    static let forwarded = ["CXMLSec": ["libxml", "xmlsec"]]
}
