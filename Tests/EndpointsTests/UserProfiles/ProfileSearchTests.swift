import Bytes
import Endpoints
import HTTP
import Identity
import Model
import Outbound
import TestSupport
import Testing
import UserProfiles

/// Searches (UPS-02), and which users find which.
@Suite struct ProfileSearchTests {
    /// What a search means, told anew and slowly.
    private struct Model {
        var conditions: [(name: String, value: String)]
        var isSimple: Bool

        func takes(_ user: User) -> Bool {
            let results = conditions.map { condition in
                let own = Model.value(condition.name, of: user).lowercased()
                let wanted = condition.value.lowercased()
                return isSimple ? own.hasPrefix(wanted) : own == wanted
            }
            return conditions.isEmpty || (isSimple ? results.contains(true) : !results.contains(false))
        }

        static func value(_ name: String, of user: User) -> String {
            switch name {
            case "id", "uid": user.username
            case "mail": user.email
            case "firstName": user.firstName
            case "lastName": user.lastName
            default: user.attributes[name] ?? ""
            }
        }
    }

    private static let names = ["id", "uid", "mail", "firstName", "lastName", "title", "manager", "country"]

    /// Few letters, so that there is something to find.
    private static func word(_ random: inout SeededRandom) -> String {
        String((0..<Int.random(in: 1...3, using: &random)).map { _ in "aAbB".randomElement(using: &random) ?? "a" })
    }

    private static func users(_ random: inout SeededRandom) -> [User] {
        var seen: Set<String> = []
        return (0..<Int.random(in: 0...700, using: &random)).compactMap { number in
            let realm = Bool.random(using: &random) ? "Default" : "Other"
            let name = "\(word(&random))\(number % 50)"
            guard seen.insert("\(realm) \(name)").inserted else { return nil }
            var user = User(
                username: name, email: Bool.random(using: &random) ? word(&random) + "@b" : "",
                firstName: word(&random), realm: realm)
            for attribute in ["title", "manager", "country"] where Bool.random(using: &random) {
                user.attributes[attribute] = word(&random)
            }
            return user
        } + [User(username: "boss", roles: ["userProfile.read"])]
    }

    @Test("UPS-02: a search finds what matches, in order, in pages", arguments: 0..<60)
    func property(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let users = Self.users(&random)
        let profiles = Profiles(users: users)
        for _ in 0..<10 {
            let model = Model(
                conditions: Self.names.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)).map {
                    ($0, Self.word(&random))
                }, isSimple: Bool.random(using: &random))
            let expected = users.filter { $0.realm == "Default" && model.takes($0) }.map(\.username).sorted {
                $0.utf8.lexicographicallyPrecedes($1.utf8)
            }
            let filter = model.conditions.map { "filter[\($0.name)]=\($0.value)" } + ["simple=\(model.isSimple)"]
            let size = Int.random(in: 1...200, using: &random)
            var found: [String] = []
            for position in 0... {
                let query = (filter + ["pageSize=\(size)", "pagePosition=\(position)", "attrs=id"])
                    .joined(separator: "&")
                let page = profiles.get("/people", query)
                try #require(page.status == 200, "\(query) \(page.text)")
                #expect(page.json?["total"]?.integer == Int64(expected.count))
                if page.ids.isEmpty { break }
                #expect(page.ids.count <= size)
                found += page.ids
            }
            #expect(found == expected, "\(filter)")
        }
    }

    @Test("UPS-02: many users are searched off the event loop")
    func large() {
        var users = (0..<2000).map { User(username: "u\($0)") }
        users.append(User(username: "boss", roles: ["userProfile.read"]))
        let request = EndpointRequest(
            method: .get, path: Profiles.path + "/people", query: Array("filter[id]=u7".utf8),
            principal: Profiles.principal("boss"))
        let effect = Profiles(users: users).service.handle(request, endpoint: .userProfile, now: Service.now)
        guard case .offload(let work) = effect else {
            Issue.record("it was done on the loop")
            return
        }
        #expect(work().settled().ids == ["u7"])
        guard case .done = Profiles().service.handle(request, endpoint: .userProfile, now: Service.now) else {
            Issue.record("few users need no other thread")
            return
        }
    }

    @Test(
        "UPS-02, UPS-04: a search reveals no credentials or rights",
        arguments: [
            "password", "passwordHash", "Password", "securityQuestions", "otpSecret", "oneTimeSecret", "roles",
            "enabled", "tokensNotBefore", "realm", "uri", "managerURI", "reports", "attributes", "",
        ])
    func oracle(_ name: String) {
        for value in ["{PlainText}secret", "{", "joe", "Manager"] {
            for simple in ["true", "false"] {
                let response = Profiles().get("/people", "filter[\(name)]=\(value)&simple=\(simple)")
                #expect(response.status == 400 && response.reasonText == "profile_malformed_query")
            }
        }
        #expect(
            Profiles().get("/people", "attrs=\(name)").status
                == (["uri", "managerURI", "reports"].contains(name) ? 200 : 400))
    }

    @Test("UPS-02: ambiguous queries are refused")
    func malformed() {
        let conditions = ["id", "mail", "title", "mobile", "photo", "country", "manager", "firstName", "lastName"]
        for query in [
            "filter[id]=a&filter[id]=b", "filter[id]=%FF", "filter[id]=%zz", "attrs=mail&attrsToFetch=mail", "x=1",
            "pageSize=", "pageSize=0x10", "pageSize=1e2", "pageSize= 5", "pagePosition=-0", "simple=TRUE", "attrs=",
            "filter[id]=\(String(repeating: "a", count: 1025))",
            conditions.map { "filter[\($0)]=x" }.joined(separator: "&"),
            (0..<200).map { "x\($0)=1" }.joined(separator: "&"),
        ] {
            #expect(Profiles().get("/people", query).status == 400, "\(query)")
        }
        #expect(
            Profiles().get("/people", conditions.dropLast().map { "filter[\($0)]=x" }.joined(separator: "&")).status
                == 200)
    }

    @Test("users of another realm are invisible")
    func realms() {
        let profiles = Profiles()
        #expect(profiles.get("/people", "filter[id]=joe").ids == ["joe"])
        #expect(profiles.get("/people/joe").json?["mail"]?.string == "joe@example.com")
        let other = Profiles.principal("boss", client: "mbe-oth-1", virtual: true)
        #expect(profiles.get("/people", "", other).ids == ["joe"])
        #expect(profiles.get("/people/joe", "", other).json?["mail"]?.string == "joe@other.example")
        #expect(profiles.get("/people/ann", "", other).status == 404)
        #expect(profiles.get("/groups/Clerk/members", "", other).ids.isEmpty)
        // A token that is bound to nothing, of a user with no account or two.
        for principal in [
            Profiles.principal("stranger", client: nil, virtual: true), Profiles.principal("joe", client: nil),
        ] {
            let response = profiles.get("/people", "", principal)
            #expect(response.status == 403 && response.reasonText == "profile_realm_unknown")
        }
    }
}
