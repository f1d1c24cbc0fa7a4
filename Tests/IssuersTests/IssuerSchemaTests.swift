import Bytes
import Foundation
import Issuers
import Testing

/// What modules declare is what the schema of `issuers.json` describes.
@Suite struct IssuerSchemaTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func schemas() throws -> [JSONNode] {
        let path = Self.root.appending(path: "config/schema/issuers.schema.json")
        let text = Array(try Data(contentsOf: path))
        let schema = try JSONNode.parse(text.span)
        return try #require(schema["additionalProperties"]?["oneOf"]?.array)
    }

    @Test(arguments: [IssuerModule.embedded, .fixed, .oauth2, .login, .mobileSocial])
    func schemaHasTheKeysOfTheModule(_ module: IssuerModule) throws {
        let names = [module.kind] + module.aliases
        let schema = try #require(
            schemas().first { schema in
                let kind = schema["properties"]?["module"]
                return (kind?["enum"]?.array?.compactMap(\.string) ?? [kind?["const"]?.string ?? ""]) == names
            }, "\(names)")
        var common: Set = ["module", "allowedHosts"]
        if module.callsOut {
            common.formUnion([
                "allowHttp", "connectTimeout", "readTimeout", "tls", "maximumLifetime", "circuitBreaker",
            ])
        }
        let described = Set(schema["properties"]?.members?.map(\.name) ?? [])
        #expect(described.subtracting(common) == Set(module.keys.map(\.name)))
        #expect(common.isSubset(of: described))
        for key in module.keys {
            let property = schema["properties"]?[key.name]
            switch key.shape {
            case .choice(let words): #expect(property?["enum"]?.array?.compactMap(\.string) == words, "\(key.name)")
            case .object(let keys):
                #expect(property?["properties"]?.members?.map(\.name) == keys.map(\.name), "\(key.name)")
            default: break
            }
        }
    }
}
