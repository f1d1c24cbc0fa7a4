import Foundation
import Testing

/// The paths of the gateway's endpoints stand in the lists of their targets, and nowhere else in the gateway. The client
/// library is the other end of the wire, and has its own.
@Suite struct EndpointTests {
    /// The lists of the targets, with the paths that assertions name.
    static func isList(_ file: SourceFile) -> Bool {
        file.path.hasSuffix("Endpoints.swift") || file.path.hasSuffix("/ExchangePaths.swift")
    }

    /// The literals of whole paths in the lists; those of generic endpoints follow the prefix.
    static let paths: [String] = SourceTree.sources.filter(isList).flatMap { file in
        file.text.replacing("below: \"/", with: "").matches(of: /"(\/[\w.\/~*-]+)"/).map { String($0.1) }
    }

    @Test func eachStandsOnce() {
        #expect(Self.paths.count > 15)
        #expect(Set(Self.paths).count == Self.paths.count)
    }

    @Test(arguments: SourceTree.sources.filter { !isList($0) && $0.module != "PortcullisClient" })
    func noOtherFileHasThem(_ file: SourceFile) {
        for path in Self.paths {
            // Below a path that ends in a slash everything is the endpoint's.
            let literal = path.hasSuffix("/") ? "\"\(path)" : "\"\(path)\""
            #expect(!file.text.contains(literal), "\(file.path) has the path \(path) of an endpoint")
        }
    }

    @Test func theReferenceHasThem() throws {
        let text = try SourceTree.text("config/reference/endpoints.md")
        for path in Self.paths where !path.contains("*") {
            #expect(text.contains(path), "config/reference/endpoints.md: \(path)")
        }
    }

    /// config/schema/openapi.json has the resources of the admin listener, and no others.
    @Test func administrationIsDescribed() throws {
        let entry =
            /\b(?:operation|AdminOperation)\(\s*\.(get|post|put|patch|delete), "([\w\/*-]+)", "[a-z-]+\.[a-z-]+"/
        let entries = SourceTree.sources.filter { $0.module == "portcullis" }.flatMap { file in
            file.text.matches(of: entry).map { "\($0.1) /admin/\($0.2)" }
        }
        let listener = try SourceTree.text("Sources/Gateway/Control/AdminResource.swift")
        let others = listener.matches(of: /paths: \[(".+?)\](, method: "POST")?/).flatMap { resource in
            resource.1.matches(of: /"(.+?)"/).map { "\(resource.2 == nil ? "get" : "post") \($0.1)" }
        }
        let json = try JSONSerialization.jsonObject(with: Data(SourceTree.text("config/schema/openapi.json").utf8))
        let paths = try #require((json as? [String: Any])?["paths"] as? [String: [String: Any]])
        let described = paths.filter { $0.value["servers"] != nil }.flatMap { path, item in
            item.keys.filter { !["servers", "parameters"].contains($0) }
                .map { "\($0) \(path.replacing(/\{\w+\}/, with: "*"))" }
        }
        #expect(entries.count > 40 && others.count > 8)
        #expect(Set(described) == Set(entries + others))
    }
}
