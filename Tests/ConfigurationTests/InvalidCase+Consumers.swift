/// Mistakes in consumers and their API keys.
extension InvalidCase {
    private static func consumers(_ list: String) -> [String: String] { ["consumers.json": "[\(list)]"] }

    static let consumerCases: [InvalidCase] = [
        InvalidCase(
            "consumer-twice", consumers(#"{"name": "a"}, {"name": "a"}"#),
            #"consumers.json:1: error: /consumers/1: duplicate consumer "a" (expected a unique name)"#
        ),
        InvalidCase(
            "consumer-unknown-role", consumers(#"{"name": "a", "roles": ["Nobody"]}"#),
            #"consumers.json:1: error: /consumers/0/roles/0: unknown role "Nobody" (expected a role of the catalogue, written with the same case; `portcullis roles add` adds one)"#
        ),
        InvalidCase(
            "consumer-key-twice",
            consumers(
                #"{"name": "a", "keys": [{"id": "k1", "digest": "sha256:47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"}]},"#
                    + #"{"name": "b", "keys": [{"id": "k1", "digest": "sha256:47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"}]}"#
            ),
            #"consumers.json:1: error: /consumers/1/keys/0/digest: another key has this digest already (expected a key of its own)"#
        ),
        InvalidCase(
            "consumer-key-id-twice",
            consumers(
                #"{"name": "a", "keys": [{"id": "k1", "digest": "sha256:47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"}, "#
                    + #"{"id": "k1", "digest": "sha256:57DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"}]}"#),
            #"consumers.json:1: error: /consumers/0/keys/1/id: duplicate key "k1" (expected a unique id)"#
        ),
        InvalidCase(
            "consumer-unknown-limit", consumers(#"{"name": "a", "rateLimit": "hourly"}"#),
            #"consumers.json:1: error: /consumers/0/rateLimit: unknown rate limit "hourly" (expected the name of a rate limit)"#
        ),
        InvalidCase(
            "consumer-key-in-the-clear", consumers(#"{"name": "a", "keys": [{"id": "k1", "digest": "pck_x"}]}"#),
            #"consumers.json:1: error: /consumers/0/keys/0/digest: no digest of a key (expected "sha256:…", written by "portcullis keys")"#
        ),
    ]
}
