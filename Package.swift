// swift-tools-version: 6.2

import PackageDescription

// No package dependency: the standard library, Dispatch and system libraries only. A bare `swift build` needs libssl-dev and
// libnghttp2-dev; the traits SQLite and SAML add libsqlite3-dev, libxmlsec1-dev and zlib1g-dev. Without the trait Client, which is
// off where none is named, the program has no commands of an application. Without the trait
// Compatibility, which is on where none is named, the gateway has its own endpoints only.

let settings: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
]

/// Of targets that no forwarded request passes: code that runs once is a third smaller. Packages that depend on this one must
/// not build a target with such flags, so none that PortcullisClient needs has them.
let forSize: [SwiftSetting] = [.unsafeFlags(["-Osize"], .when(configuration: .release))]

/// A library target under `Sources/` with the house's settings.
func library(_ name: String, _ dependencies: [Target.Dependency] = [], isCold: Bool = false) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings + (isCold ? forSize : []))
}

/// The target of a family, under `Sources/Compatibility/`: only the trait Compatibility builds it.
func family(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    let path = "Sources/Compatibility/\(name)"
    return .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings + forSize)
}

/// The tests of one target, under `Tests/`.
func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

/// What several test targets stand on, under `Tests/`.
func support(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: settings)
}

/// A program of the tests, under `Tests/`.
func tool(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: settings)
}

/// The test targets to build, separated by commas, where not all are wanted: `deploy/check` names those of a change.
let wanted = Context.environment["PORTCULLIS_TESTS"]?.split(separator: ",").map(String.init)

let package = Package(
    name: "portcullis",
    products: [
        .executable(name: "portcullis", targets: ["portcullis"]),
        .library(name: "PortcullisClient", targets: ["PortcullisClient", "ClientStore"]),
    ],
    traits: [
        .trait(name: "SQLite", description: "The durable embedded token store (libsqlite3)."),
        .trait(name: "SAML", description: "SAML 2.0 assertions (libxmlsec1, libxml2)."),
        .trait(
            name: "Client", description: "The commands client, test and key, by the library PortcullisClient."),
        .trait(
            name: "Compatibility",
            description:
                "Endpoints for clients of Mobile & Social, ApiOmat, Facebook, user profiles and single sign-on."),
        .default(enabledTraits: ["Compatibility"]),
    ],
    targets: [
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "CXMLSec", publicHeadersPath: "."),
        // Valgrind reads no newer debug information, and bench/instructions needs it.
        .target(name: "CTexts", publicHeadersPath: ".", cSettings: [.unsafeFlags(["-gdwarf-4"])]),

        library("Bytes"),
        library("Model", ["Bytes"]),
        library("Reactor", ["Bytes", "Model", "CLinux"]),
        library("Declaration", ["Bytes", "Model", "Reactor"], isCold: true),
        library("Crypto", ["Bytes", "Model", "COpenSSL"]),
        library("HTTP", ["Bytes", "Model", "CNghttp2"]),
        library("JOSE", ["Bytes", "Model", "Crypto"]),
        library("Outbound", ["Model", "Crypto"]),
        library(
            "Identity",
            [
                "Bytes", "Model", "Declaration", "Crypto", "JOSE", "Outbound",
                .target(name: "CXMLSec", condition: .when(traits: ["SAML"])),
            ]
        ),
        library("Policy", ["Bytes", "Model", "HTTP", "JOSE", "Crypto", "Outbound", "Identity"]),
        library(
            "Simulation", ["Bytes", "Model", "HTTP", "Identity", "Policy"], isCold: true),
        library(
            "TokenStorage",
            [
                "Bytes", "Crypto", "Outbound", "Identity",
                .target(name: "CSQLite", condition: .when(traits: ["SQLite"])),
            ]
        ),
        library("Endpoints", ["Bytes", "Model", "HTTP", "Crypto", "Outbound", "Identity"]),
        library("ACME", ["Bytes", "Model", "JOSE", "Crypto", "Outbound", "Endpoints"], isCold: true),
        library(
            "OAuthServer",
            ["Bytes", "Model", "HTTP", "JOSE", "Crypto", "Outbound", "Identity", "TokenStorage", "Endpoints"]),
        library(
            "LoginPages",
            [
                "Bytes", "Model", "HTTP", "Crypto", "Outbound", "Identity", "TokenStorage", "Endpoints", "OAuthServer",
                "CTexts",
            ]),
        library(
            "Authorization",
            [
                "Bytes", "Model", "HTTP", "JOSE", "Crypto", "Outbound", "Identity", "TokenStorage", "Endpoints",
                "OAuthServer", "LoginPages",
            ], isCold: true),
        family(
            "MobileSocial",
            [
                "Bytes", "Model", "Declaration", "HTTP", "JOSE", "Crypto", "Outbound", "Identity", "TokenStorage",
                "Endpoints", "OAuthServer", "LoginPages", "Authorization", "Issuers",
            ]),
        family("ServiceDomains", ["Bytes", "Model", "Declaration", "Configuration"]),
        family(
            "ApiOmat",
            [
                "Bytes", "Model", "HTTP", "Crypto", "Outbound", "Identity", "TokenStorage", "Endpoints", "OAuthServer",
                "Configuration", "Declaration", "Facebook",
            ]),
        family(
            "Facebook", ["Bytes", "Model", "Declaration", "Crypto", "Outbound", "Identity", "Configuration"]),
        family(
            "UserProfiles",
            ["Bytes", "Model", "Declaration", "HTTP", "Crypto", "Outbound", "Identity", "Endpoints", "Configuration"]),
        family(
            "SingleSignOn",
            [
                "Bytes", "Model", "HTTP", "JOSE", "Outbound", "Identity", "Endpoints", "OAuthServer", "LoginPages",
                "Authorization", "Configuration", "Declaration",
            ]),
        library(
            "Issuers",
            ["Bytes", "Model", "Declaration", "JOSE", "Crypto", "Outbound", "Identity", "TokenStorage", "OAuthServer"]),
        library("CommandForms", [], isCold: true),
        library("Configuration", ["Bytes", "Model", "Declaration", "Reactor", "CTexts"], isCold: true),
        library("Conversion", ["Bytes", "Model", "Declaration"], isCold: true),
        library(
            "Gateway",
            [
                "Bytes", "Model", "Reactor", "Crypto", "HTTP", "Outbound", "Policy", "Identity", "TokenStorage",
                "Endpoints", "OAuthServer", "Issuers",
            ]),
        library("ClientStore", ["Bytes", "Reactor", "Crypto"]),
        library("PortcullisClient", ["Bytes", "Model", "Reactor", "Crypto", "HTTP", "ClientStore"]),
        .executableTarget(
            name: "portcullis",
            dependencies: [
                "Bytes", "Model", "Declaration", "Reactor", "Crypto", "HTTP", "JOSE", "Outbound", "Policy", "Identity",
                "Simulation", "TokenStorage", "Endpoints", "OAuthServer", "LoginPages", "Authorization", "Issuers",
                "Configuration", "Conversion", "CommandForms", "CTexts",
                "Gateway", "ACME",
                "ClientStore",
                .target(name: "PortcullisClient", condition: .when(traits: ["Client"])),
                .target(name: "MobileSocial", condition: .when(traits: ["Compatibility"])),
                .target(name: "ServiceDomains", condition: .when(traits: ["Compatibility"])),
                .target(name: "ApiOmat", condition: .when(traits: ["Compatibility"])),
                .target(name: "Facebook", condition: .when(traits: ["Compatibility"])),
                .target(name: "UserProfiles", condition: .when(traits: ["Compatibility"])),
                .target(name: "SingleSignOn", condition: .when(traits: ["Compatibility"])),
            ],
            swiftSettings: settings + forSize
        ),

        .systemLibrary(name: "CSpawn", path: "Tests/CSpawn"),
        support(
            "TestSupport",
            ["Bytes", "Model", "Declaration", "Reactor", "Crypto", "Outbound", "Identity", "TokenStorage", "CSpawn"]),
        tool("StoreCrash", ["TokenStorage", "OAuthServer", "TestSupport"]),
        tests("BytesTests", ["Bytes"]),
        tests("ModelTests", ["Bytes", "Model", "TestSupport"]),
        tests("ReactorTests", ["Bytes", "Reactor", "TestSupport"]),
        tests("CryptoTests", ["Bytes", "Model", "Crypto", "TestSupport"]),
        tests("HTTPTests", ["Bytes", "Model", "HTTP"]),
        tests("JOSETests", ["Bytes", "Model", "Crypto", "JOSE", "TestSupport"]),
        tests(
            "IdentityTests", ["Bytes", "Model", "Declaration", "Crypto", "JOSE", "Outbound", "Identity", "TestSupport"]),
        tests(
            "PolicyTests",
            ["Bytes", "Model", "Crypto", "HTTP", "JOSE", "Outbound", "Identity", "Policy", "Facebook", "TestSupport"]),
        tests(
            "TokenStorageTests", ["Bytes", "Model", "Crypto", "Outbound", "Identity", "TokenStorage", "TestSupport"]),
        tests(
            "EndpointsTests",
            [
                "Bytes", "Model", "Crypto", "HTTP", "JOSE", "Outbound", "Identity", "TokenStorage", "Endpoints",
                "OAuthServer", "LoginPages", "Authorization", "MobileSocial", "ApiOmat", "Facebook", "UserProfiles",
                "SingleSignOn",
                "TestSupport",
            ]),
        tests(
            "IssuersTests",
            [
                "Bytes", "Model", "Declaration", "Crypto", "HTTP", "JOSE", "Outbound", "Identity", "TokenStorage",
                "OAuthServer",
                "Issuers", "MobileSocial", "TestSupport",
            ]),
        tests(
            "ConfigurationTests",
            [
                "Bytes", "Model", "Declaration", "OAuthServer", "LoginPages", "Configuration", "Conversion",
                "ServiceDomains",
                "MobileSocial", "ApiOmat", "Facebook", "UserProfiles", "SingleSignOn", "TestSupport",
            ]),
        tests(
            "GatewayTests",
            [
                "Bytes", "Model", "Reactor", "Crypto", "HTTP", "JOSE", "Outbound", "Policy", "Identity", "TokenStorage",
                "Endpoints", "OAuthServer", "Issuers", "Gateway", "TestSupport",
            ]),
        tests(
            "PortcullisClientTests",
            ["Bytes", "Model", "Crypto", "HTTP", "ClientStore", "PortcullisClient", "TestSupport"]),
        tests(
            "ProgramTests",
            [
                "Bytes", "Model", "Declaration", "Reactor", "Outbound", "Identity", "Configuration", "TokenStorage",
                "OAuthServer", "Gateway", "CommandForms", "ACME", "Crypto", "portcullis", "TestSupport",
            ]),
        tests("ArchitectureTests", []),
        tests(
            "EndToEndTests",
            [
                "Bytes", "Model", "Reactor", "Crypto", "HTTP", "JOSE", "Outbound", "Identity", "TokenStorage",
                "Endpoints", "OAuthServer", "MobileSocial", "Gateway", "TestSupport",
            ]),
    ].filter { $0.type != .test || wanted?.contains($0.name) ?? true },
    swiftLanguageModes: [.v6]
)
