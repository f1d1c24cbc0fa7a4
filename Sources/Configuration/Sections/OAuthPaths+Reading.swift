import Model

extension OAuthPaths {
    static func read(_ object: inout ObjectReader) -> OAuthPaths {
        var paths = OAuthPaths()
        object.read("tokenPath", .literalPath, into: &paths.token, "Path of the token endpoint.")
        object.read(
            "tokenPathAliases", aliases(of: paths.token), into: &paths.tokenAliases,
            "Further paths of the token endpoint.")
        object.read(
            "revocationPath", .literalPath, into: &paths.revocation, "Path of the revocation endpoint.")
        object.read(
            "introspectionPath", .literalPath, into: &paths.introspection, "Path of the introspection endpoint.")
        object.read(
            "authorizationPath", .literalPath, into: &paths.authorization,
            "Path of the authorization endpoint, which exists if a backend has `redirectUris`.")
        return paths
    }

    private static func aliases(of tokenPath: String) -> Shape<[String]> {
        Shape.literalPath.list("an array of paths", isUnique: false).reading { field in
            field.elements("an array of paths")?.reduce(into: []) { paths, element in
                guard let path = element.literalPath() else { return }
                if path == tokenPath || paths.contains(path) {
                    element.error("\"\(path)\" is a token path already", expected: "a path of its own")
                }
                paths.append(path)
            }
        }
    }

    /// Reports a path that two endpoints have.
    func check(_ field: Field) {
        let others = [revocation, introspection, authorization]
        guard Set(others).count < others.count || !Set(others).isDisjoint(with: ofTokens) else { return }
        field.error("two endpoints have one path", expected: "a path of its own for each endpoint")
    }
}
