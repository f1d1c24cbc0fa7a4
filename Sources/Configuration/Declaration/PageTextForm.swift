import Bytes
import Model

/// The texts that the gateway has itself, as files that translations begin with.
package enum PageTextForm {
    /// Name and contents of each file.
    package static var files: [(name: String, text: [UInt8])] {
        [
            ("en.json", file { $0.english }),
            ("de.json", file { $0.german }),
        ]
    }

    private static func file(_ text: (PageText) -> String) -> [UInt8] {
        let members = PageText.allCases.map { key in
            "  \(quoted(key.rawValue)): \(quoted(text(key)))"
        }
        return Array("{\n\(members.joined(separator: ",\n"))\n}\n".utf8)
    }

    private static func quoted(_ text: String) -> String {
        String(decoding: JSONNode.text(text).serialized, as: UTF8.self)
    }
}
