#if Compatibility
    import Model

    extension FamilyDraft {
        /// Clients of Mobile & Social.
        static let mobileSocial = FamilyDraft(
            flag: "--oracle", callers: "Oracle clients",
            help: "clients of Oracle Mobile & Social (OAM-Auth challenges), and users of the gateway's own",
            sections: { hash in
                """
                  // The mobile backend of the application; its id is Oracle-Mobile-Backend-ID.
                  "backends": [{
                    "name": "app", "version": "1.0", "mobileBackendId": "app", "clientId": "app", "clientSecret": "file:client-secret"
                  }],
                  "users": [{ "username": "admin", "password": \(hash), "roles": ["admin"] }],
                  "roles": ["admin"],
                  // Clients with one of these User-Agents get 401 OAM-Auth with a request-ctx; `portcullis client` sends the second.
                  "webgates": [{
                    "name": "AppWG", "level": 2, "userDefinedParameters": { "User-Agent": ["OIC-Agent", "OAMMS-Agent"] }
                  }],
                  // Where they log in. Five wrong passwords lock a user out for five minutes.
                  "serviceDomains": { "App": { "mobile": true, "applications": {
                    "App": { "backend": "app/1.0", "maxLoginAttempts": 5 }
                  } } },
                  "routes": [{ "path": "/**", "upstream": "api", "webgate": "AppWG", "backends": ["app/1.0"] }]
                """
            },
            steps: {
                [
                    "portcullis client configure '\(link($0))'", "portcullis client login --user admin",
                    "portcullis client request \($0)/",
                ]
            })

        /// The link by which clients of the service domain are configured.
        private static func link(_ base: String) -> String {
            let origin = (try? WebURL(base))?.origin
            let (host, port) = (origin?.urlHost ?? "", origin?.port ?? 0)
            return "app://configure?oamconfig=true&host=\(host)&port=\(port)&servicedomain=App&appname=App&SSL="
                + (base.hasPrefix("http://") ? "FALSE" : "TRUE")
        }
    }
#endif
