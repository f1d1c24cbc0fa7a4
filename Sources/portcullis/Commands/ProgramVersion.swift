import Bytes
import CTexts

/// The version of the program, and how it was built.
enum ProgramVersion {
    static let number = "0.9.0"
    /// The day of the version, for manual pages.
    static let date = "2026-11-30"

    /// The commit of the source, as the build named it, or `unknown`.
    static var commit: String {
        let name = String(decoding: [UInt8](embedded: source_commit), as: UTF8.self)
        return name.isEmpty ? "unknown" : name
    }

    /// The traits of the build that are on.
    static var traits: [String] {
        var traits: [String] = []
        #if Client
            traits.append("Client")
        #endif
        #if Compatibility
            traits.append("Compatibility")
        #endif
        #if SAML
            traits.append("SAML")
        #endif
        #if SQLite
            traits.append("SQLite")
        #endif
        return traits
    }
}
