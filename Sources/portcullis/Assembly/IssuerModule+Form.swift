import Bytes
import Configuration
import Issuers
import Model

/// What the entries of modules in `issuers.json` look like, from the keys that they declare.
extension IssuerModule {
    var form: ObjectForm {
        let common = ObjectForm.of { object in
            guard callsOut else { return }
            _ = IssuerReader.guarding(&object)
            _ = IssuerReader.transport(&object)
        }
        return ObjectForm(keys.map(\.form) + common.keys, rules: rules)
    }
}

extension IssuerKey {
    fileprivate var form: ObjectForm.Key {
        ObjectForm.Key(
            name: name, form: shape.form, meaning: meaning, standard: standard?.node, isRequired: isRequired)
    }
}

extension IssuerKey.Shape {
    fileprivate var form: Form {
        switch self {
        case .text, .signingKey: .text
        case .secret: .secret
        case .url: .pattern("^[Hh][Tt][Tt][Pp][Ss]?://[^/?#\\s\\\\]+[^#\\s\\\\]*$")
        case .flag: .flag
        case .count(let range): .integer(range)
        case .seconds: Shape.seconds.form()
        case .choice(let words): .choice(words)
        case .publicAlgorithm: Shape.publicAlgorithm.form()
        case .texts: .list(.text)
        case .counts(let range): .list(.integer(range), isUnique: false)
        case .map: .map(.text)
        case .secrets: .map(.secret)
        case .header: Shape.headerName.form()
        case .json: .schema([])
        case .object(let keys, let rules): .object(ObjectForm(keys.map(\.form), rules: rules))
        }
    }
}

extension IssuerValue {
    /// As it is written in the configuration; nil for what is never a default.
    fileprivate var node: JSONNode? {
        switch self {
        case .text(let text): .text(text)
        case .flag(let flag): .flag(flag)
        case .number(let number): .number(Int64(number))
        case .numbers(let numbers): JSONNode(.array(numbers.map { .number(Int64($0)) }))
        case .texts(let texts): .texts(texts)
        case .url, .map, .json, .key, .object: nil
        }
    }
}
