import Bytes
import Crypto
import Model

/// The value of a member of an issuer's entry, as tests write it.
indirect enum IssuerValue: Sendable {
    case text(String)
    case url(WebURL)
    case flag(Bool)
    case number(Int)
    case numbers([Int])
    case texts([String])
    case map([(name: String, value: String)])
    case json(JSONNode)
    /// The key of a file.
    case key(SigningKey)
    case object([String: IssuerValue])

    /// The value as JSON. A key is its place among the keys of the entry.
    func node(_ keys: inout [SigningKey]) -> JSONNode {
        switch self {
        case .text(let text): return JSONNode(.string(text))
        case .url(let url): return JSONNode(.string("\(url)"))
        case .flag(let flag): return .flag(flag)
        case .number(let number): return .number(Int64(number))
        case .numbers(let numbers): return JSONNode(.array(numbers.map { .number(Int64($0)) }))
        case .texts(let texts): return .texts(texts)
        case .map(let map): return .object(map.map { ($0.name, JSONNode(.string($0.value))) })
        case .json(let node): return node
        case .key(let key):
            keys.append(key)
            return .number(Int64(keys.count - 1))
        case .object(let members):
            return .object(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value.node(&keys)) })
        }
    }
}

/// The first error about an entry: its pointer, relative to the entry, and its message.
struct IssuerProblem: Error {
    let pointer: String
    let message: String
}
