import Bytes
import Foundation
import Model
import OAuthServer
import Testing

@testable import portcullis

/// The lists of endpoints, and their effect on the paths of routes.
@Suite struct EndpointListTests {
    static let everything = EndpointFeatures(rawValue: .max)

    private static func settings(_ features: EndpointFeatures, forms: [String] = []) -> EndpointSettings {
        EndpointSettings(features: features, formPaths: forms)
    }

    private static func reserved(_ features: EndpointFeatures, forms: [String] = []) -> [String] {
        GatewayEndpoints.all.reservedPatterns(settings(features, forms: forms)).map(\.text)
    }

    private static func paths(_ features: EndpointFeatures) -> [String] {
        GatewayEndpoints.all.routes(Self.settings(features)).map(\.path)
    }

    @Test func withoutFeatures() {
        #expect(Self.paths([]).isEmpty && Self.reserved([]).isEmpty)
    }

    @Test("the prefix is above all generic endpoints and nothing else")
    func prefix() throws {
        func routes(_ prefix: String) -> [(path: String, endpoint: EndpointDescriptor)] {
            let paths = EndpointPaths(prefix: prefix)
            return GatewayEndpoints.all.routes(EndpointSettings(features: Self.everything, paths: paths, formPaths: []))
        }
        let (standard, moved) = (routes("/oauth2"), routes("/a/b"))
        #expect(standard.map(\.endpoint) == moved.map(\.endpoint))
        for (one, other) in zip(standard, moved) {
            let isBelow = one.path.hasPrefix("/oauth2/")
            #expect(other.path == (isBelow ? "/a/b\(one.path.dropFirst(7))" : one.path))
            #expect(!isBelow || one.endpoint.suffix != nil)
        }
        let names = standard.filter { $0.path.hasPrefix("/oauth2/") }.map { String($0.path.dropFirst(8)) }
        #expect(
            Set(names) == [
                "authorize", "token", "par", "device_authorization", "device", "introspect", "revoke", "userinfo",
                "jwks",
                "register", "register/", "login", "callback/", "backchannel-logout/", "frontchannel-logout/", "saml/",
                "logout",
            ])
    }

    @Test("the metadata of an issuer with a path have places of their own, which routes cannot have")
    func issuer() throws {
        var settings = Self.settings(.tokenService)
        settings.issuerPath = "/shop/one"
        let paths = GatewayEndpoints.all.routes(settings).filter { $0.endpoint == .metadata }.map(\.path)
        #expect(
            paths == [
                "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration",
                "/.well-known/oauth-authorization-server/shop/one", "/shop/one/.well-known/openid-configuration",
            ])
        let reserved = GatewayEndpoints.all.reservedPatterns(settings).map(\.text)
        #expect(Set(paths).isSubset(of: reserved))
    }

    @Test("backends bring the endpoints of Mobile Cloud, and those alone")
    func mobileCloud() {
        let own = ["/mobile/platform/users/~"]
        #expect(Self.paths(.mobileCloud) == own && Self.reserved(.mobileCloud) == own)
        #expect(!Self.reserved(.tokenService).contains { $0.hasPrefix("/mobile") })
        let both = Self.reserved([.tokenService, .mobileCloud]).filter { $0.hasPrefix("/mobile") }
        #expect(both == Self.paths([.tokenService, .mobileCloud]).filter { $0.hasPrefix("/mobile") })
    }

    @Test func featuresSwitchEndpointsOn() {
        #expect(Self.paths(.serviceDomains).contains("/oam/server/logout"))
        #expect(Self.reserved(.serviceDomains).contains("/oam/server/logout"))
        #expect(Self.paths(.tokenService).contains("/oauth2/token") && Self.paths(.tokenService).contains("/token"))
        #expect(Self.reserved(.tokenService).contains("/oauth2/**"))
        #expect(Self.reserved([], forms: ["/mobilesso"]).contains("/mobilesso"))
    }

    /// The paths of a protocol belong to routes where the gateway does not answer them.
    @Test func whatIsNotServedIsNotReserved() throws {
        let userClass = Application.UserClass(module: "Basics", model: "User")
        let application = Application(name: "testApp", apiKey: "key", userClass: userClass)
        func isReserved(_ text: String, _ features: EndpointFeatures) throws -> Bool {
            var settings = Self.settings(features)
            settings.applications = [application]
            let path = try PathPattern(text)
            return GatewayEndpoints.all.reservedPatterns(settings).contains { $0.covers(path) }
        }
        let users = "/yambas/rest/apps/testApp/models/Basics/User"
        for path in ["/yambas/**", "/oic_rest/**", "/oic_rest/rest/x", "\(users)/1", "/yambas/oauth/token"] {
            #expect(try !isReserved(path, []), "\(path)")
        }
        for path in [users, "\(users)/1", "/yambas/oauth/token"] {
            #expect(try isReserved(path, .applications), "\(path)")
        }
        for path in ["/yambas/rest/apps/testApp/models/Notes/**", "\(users)s", "/yambas/oauth/x", "/oic_rest/rest/x"] {
            #expect(try !isReserved(path, .applications), "\(path)")
        }
        #expect(try isReserved("/oic_rest/rest/x", .serviceDomains) && !isReserved("/oic_rest/x", .serviceDomains))
    }

    @Test(arguments: ["callback/idp", "saml/idp/metadata", "saml/idp/acs", "backchannel-logout/idp"])
    func placesOfProvidersAreReserved(_ name: String) throws {
        let text = "/oauth2/\(name)"
        let path = try PathPattern(text)
        func isReserved(_ features: EndpointFeatures) -> Bool {
            GatewayEndpoints.all.reservedPatterns(Self.settings(features)).contains { $0.covers(path) }
        }
        #expect(isReserved(.identityProviders))
        #expect(!isReserved([]))
    }

    /// A path that is answered is one that no route may have.
    @Test func whatIsAnsweredIsReserved() throws {
        let settings = Self.settings(Self.everything)
        let reserved = GatewayEndpoints.all.reservedPatterns(settings)
        for (path, endpoint) in GatewayEndpoints.all.routes(settings) {
            let inside = try PathPattern(path.hasSuffix("/") ? path + "x" : path)
            #expect(reserved.contains { $0.covers(inside) }, "\(endpoint)")
        }
    }

    @Test func userProfilesGoBeforeWhatTheyAreInside() throws {
        let paths = Self.paths(Self.everything)
        let inner = try #require(paths.firstIndex(of: "/oic_rest/rest/userprofile/"))
        let outer = try #require(paths.firstIndex(of: "/oic_rest/rest/"))
        #expect(inner < outer)
        #expect(Set(paths).count == paths.count)
    }

    /// config/schema/openapi.json has these endpoints with their methods, and no others outside the admin listener.
    @Test func allAreDescribed() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../config/schema")
        let document = try JSONNode.parse(Array(Data(contentsOf: folder.appending(path: "openapi.json"))).span)
        let routes = GatewayEndpoints.all.routes(Self.settings(Self.everything, forms: ["/oic_rest/mobilesso"]))
        var described: [String: Set<String>] = [:]
        for item in document["paths"]?.members ?? [] where item.node["servers"] == nil {
            let route = routes.first {
                $0.path == item.name || $0.path.hasSuffix("/") && item.name.hasPrefix($0.path)
            }
            let path = try #require(route?.path, "no endpoint has \(item.name)")
            let members = item.node.members?.map(\.name) ?? []
            described[path, default: []].formUnion(members.filter { $0 != "parameters" }.map { $0.uppercased() })
        }
        for (path, endpoint) in routes {
            let methods = String(decoding: endpoint.methods, as: UTF8.self).split(separator: ", ").map(String.init)
            #expect(described[path] == Set(methods).subtracting(["HEAD"]), "\(path)")
        }
    }

    @Test("names are the labels of metrics, and each has one")
    func names() {
        let names = GatewayEndpoints.all.map(\.name)
        #expect(Set(names).count == names.count && names.allSatisfy { $0.wholeMatch(of: /[a-z_]+/) != nil })
    }

    @Test func namesInCamelCase() {
        #expect("\(EndpointDescriptor.resourceMetadata)" == "resourceMetadata")
        #expect("\(EndpointDescriptor.whoAmI)" == "whoAmI" && "\(EndpointDescriptor.jwks)" == "jwks")
    }
}
