/// Mistakes in `gateway.json` and in the layout of the directory.
extension InvalidCase {
    static let gatewayCases: [InvalidCase] = [
        InvalidCase(
            "byte-order-mark", ["roles.json": "\u{FEFF}[]"],
            "roles.json:1: error: /roles: malformed JSON at column 1: a byte order mark precedes the text (expected UTF-8 without a byte order mark)"
        ),
        // GW-04's own check.
        InvalidCase(
            "port-type",
            [
                "gateway.json":
                    "{\n\"baseUrl\": \"http://a.example\",\n\"listeners\": [\n{\"address\": \"::1\",\n\"port\": \"x\"}]}"
            ],
            #"gateway.json:5: error: /listeners/0/port: wrong type (expected a port number from 0 to 65535, found "x")"#
        ),
        InvalidCase(
            "optional-file-unknown",
            ["gateway.json": ConfigurationDirectory.gateway("\"optionalFiles\": [\"user.json\"]")],
            #"gateway.json:5: error: /optionalFiles/0: invalid value (expected the name of a section's file, such as "users.json", found "user.json"; did you mean "users.json"?)"#
        ),
        InvalidCase(
            "port-range",
            ["gateway.json": #"{"baseUrl": "http://a.example", "listeners": [{"address": "::1", "port": 65536}]}"#],
            "gateway.json:1: error: /listeners/0/port: out of range (expected a port number from 0 to 65535, found 65536)"
        ),
        InvalidCase(
            "port-fraction",
            ["gateway.json": #"{"baseUrl": "http://a.example", "listeners": [{"address": "::1", "port": 80.0}]}"#],
            "gateway.json:1: error: /listeners/0/port: wrong type (expected a port number from 0 to 65535, found 80.0)"
        ),
        InvalidCase(
            "address-name",
            ["gateway.json": #"{"baseUrl": "http://a.example", "listeners": [{"address": "localhost", "port": 80}]}"#],
            #"gateway.json:1: error: /listeners/0/address: invalid value (expected an IP address such as "127.0.0.1" or "::1", found "localhost"; did you mean "127.0.0.1"?)"#
        ),
        InvalidCase(
            "managed-headers",
            [
                "gateway.json": ConfigurationDirectory.gateway(
                    #""managedHeaders": ["X-*", "a b", "Host", "*", "X-Good", "Content-*"]"#)
            ],
            #"gateway.json:5: error: /managedHeaders/0: invalid value (expected a header field name, or the beginning of names followed by "-*", found "X-*")"#,
            #"gateway.json:5: error: /managedHeaders/1: invalid value (expected a header field name, or the beginning of names followed by "-*", found "a b")"#,
            #"gateway.json:5: error: /managedHeaders/2: "Host" is part of the message itself (expected another field)"#,
            #"gateway.json:5: error: /managedHeaders/3: invalid value (expected a header field name, or the beginning of names followed by "-*", found "*")"#,
            #"gateway.json:5: error: /managedHeaders/5: "Content-*" is part of the message itself (expected another field)"#
        ),
        InvalidCase(
            "listener-missing-port",
            ["gateway.json": "{\"baseUrl\": \"http://a.example\",\n\"listeners\": [{\"address\": \"::1\"}]}"],
            #"gateway.json:2: error: /listeners/0/port: required member "port" is missing (expected a port number from 0 to 65535)"#
        ),
        InvalidCase(
            "listener-unknown-member",
            [
                "gateway.json":
                    "{\"baseUrl\": \"http://a.example\",\n\"listeners\": [{\"adress\": \"::1\",\n\"port\": 1}]}"
            ],
            #"gateway.json:2: error: /listeners/0/address: required member "address" is missing (expected an IP address)"#,
            #"gateway.json:2: error: /listeners/0/adress: unknown member "adress" (did you mean "address"?)"#
        ),
        InvalidCase(
            "listener-twice",
            [
                "gateway.json":
                    "{\"baseUrl\": \"http://a.example\", \"listeners\": [{\"address\": \"::1\", \"port\": 80},\n{\"name\": \"b\", \"address\": \"0:0:0:0:0:0:0:1\", \"port\": 80}]}"
            ],
            "gateway.json:2: error: /listeners/1: another listener has this address and port (expected a free address and port)"
        ),
        InvalidCase(
            "listener-name-twice",
            [
                "gateway.json":
                    "{\"baseUrl\": \"http://a.example\", \"listeners\": [{\"name\": \"a\", \"address\": \"::1\", \"port\": 0},\n{\"name\": \"a\", \"address\": \"::1\", \"port\": 0}]}"
            ],
            #"gateway.json:2: error: /listeners/1: duplicate listener name "a" (expected a unique name)"#
        ),
        InvalidCase(
            "listeners-none", ["gateway.json": #"{"baseUrl": "http://a.example", "listeners": []}"#],
            "gateway.json:1: error: /listeners: no listener (expected at least one listener)"
        ),
        InvalidCase(
            "listeners-object", ["gateway.json": "{\"baseUrl\": \"http://a.example\",\n\n\"listeners\": {}}"],
            "gateway.json:3: error: /listeners: wrong type (expected an array of listeners, found an object)"
        ),
        InvalidCase(
            "base-url-missing",
            ["gateway.json": #"{"listeners": [{"address": "::1", "port": 80}]}"#],
            #"gateway.json:1: error: /baseUrl: required member "baseUrl" is missing (expected the gateway's own origin)"#
        ),
        InvalidCase(
            "base-url-path",
            ["gateway.json": #"{"baseUrl": "https://a.example/", "listeners": [{"address": "::1", "port": 80}]}"#],
            #"gateway.json:1: error: /baseUrl: invalid value (expected an origin such as "https://api.example.com", without path, query or trailing slash, found "https://a.example/"; did you mean "https://a.example"?)"#
        ),
        InvalidCase(
            "base-url-scheme", gateway: #""additionalBaseUrls": ["https://a.example", "ftp://a.example"]"#,
            #"gateway.json:5: error: /additionalBaseUrls/1: invalid value (expected an origin such as "https://api.example.com", with http or https, found "ftp://a.example")"#
        ),
        InvalidCase(
            "base-url-user", gateway: #""additionalBaseUrls": ["https://a@b.example"]"#,
            #"gateway.json:5: error: /additionalBaseUrls/0: invalid value (expected an origin such as "https://api.example.com", without user name and password, found "https://***@b.example")"#
        ),
        InvalidCase(
            "root-unknown-member", gateway: #""trustedProxys": []"#,
            #"gateway.json:5: error: /trustedProxys: unknown member "trustedProxys" (did you mean "trustedProxies"?)"#
        ),
        InvalidCase(
            "root-array", ["gateway.json": "[]"],
            "gateway.json:1: error: wrong type (expected an object, found an array)"
        ),
        InvalidCase(
            "admin-open", gateway: "\"admin\": {\n\"address\": \"0.0.0.0\",\n\"port\": 9901}",
            #"gateway.json:5: error: /admin: an admin listener that is not on loopback needs "adminToken" (expected "adminToken", or a loopback address, found "0.0.0.0")"#
        ),
        InvalidCase(
            "admin-token-unset", gateway: #""admin": {"address": "0.0.0.0", "adminToken": "env:ADMIN_TOKEN"}"#,
            environment: ["ADMIN_TOKE": "x"],
            "gateway.json:5: error: /admin/adminToken: the environment variable ADMIN_TOKEN is not set (expected a variable that is set; did you mean \"env:ADMIN_TOKE\"?)"
        ),
        InvalidCase(
            "proxies-everybody", gateway: #""trustedProxies": ["10.0.0.0/8", "0.0.0.0/0"]"#,
            #"gateway.json:5: error: /trustedProxies/1: a block of all addresses would trust every client (expected a CIDR block such as "10.0.0.0/8", found "0.0.0.0/0")"#
        ),
        InvalidCase(
            "proxies-everybody-6", gateway: #""trustedProxies": ["::/0"]"#,
            #"gateway.json:5: error: /trustedProxies/0: a block of all addresses would trust every client (expected a CIDR block such as "10.0.0.0/8", found "::/0")"#
        ),
        InvalidCase(
            "proxies-host-bits", gateway: #""trustedProxies": ["10.1.2.3/8"]"#,
            #"gateway.json:5: error: /trustedProxies/0: invalid value (expected a CIDR block such as "10.0.0.0/8", with no bit set after the prefix, found "10.1.2.3/8"; did you mean "10.0.0.0/8"?)"#
        ),
        InvalidCase(
            "proxies-width", gateway: #""trustedProxies": ["10.0.0.0/33"]"#,
            #"gateway.json:5: error: /trustedProxies/0: invalid value (expected a CIDR block such as "10.0.0.0/8", with a prefix length from 1 to 32, found "10.0.0.0/33")"#
        ),
        InvalidCase(
            "duration-number", gateway: #""limits": {"headerTimeout": 10}"#,
            #"gateway.json:5: error: /limits/headerTimeout: wrong type (expected a duration such as "30s", "250ms", "5m" or "1h", found 10; did you mean "10s"?)"#
        ),
        InvalidCase(
            "duration-unit", gateway: #""limits": {"headerTimeout": "10 s"}"#,
            #"gateway.json:5: error: /limits/headerTimeout: invalid value (expected a duration such as "30s", "250ms", "5m" or "1h", found "10 s"; did you mean "10s"?)"#
        ),
        InvalidCase(
            "duration-zero", gateway: #""limits": {"idleTimeout": "0s"}"#,
            #"gateway.json:5: error: /limits/idleTimeout: out of range (expected a duration from "1ms" to "8784h", found "0s")"#
        ),
        InvalidCase(
            "duration-overflow", gateway: #""limits": {"idleTimeout": "9223372036854775807h"}"#,
            #"gateway.json:5: error: /limits/idleTimeout: out of range (expected a duration from "1ms" to "8784h", found "9223372036854775807h")"#
        ),
        InvalidCase(
            "size-unit", gateway: #""limits": {"maxHeaderBytes": "16KB"}"#,
            #"gateway.json:5: error: /limits/maxHeaderBytes: invalid value (expected a size such as "64KiB" or "1MiB", or a number of bytes, found "16KB"; did you mean "16KiB"?)"#
        ),
        InvalidCase(
            "size-range", gateway: #""limits": {"maxHeaderBytes": "65KiB"}"#,
            #"gateway.json:5: error: /limits/maxHeaderBytes: out of range (expected a size from 1024 to 65536 bytes, found "65KiB")"#
        ),
        InvalidCase(
            "target-in-head", gateway: #""limits": {"maxHeaderBytes": "4KiB"}"#,
            "gateway.json:5: error: /limits: maxTargetBytes is more than maxHeaderBytes (expected at most 4096 bytes, for the target is part of the head, found 8192)"
        ),
        InvalidCase(
            "engine", gateway: #""engine": "kqueue""#,
            #"gateway.json:5: error: /engine: invalid value (expected one of "auto", "epoll", "io_uring", found "kqueue")"#
        ),
        InvalidCase(
            "json-comma", ["gateway.json": "{\n\"baseUrl\": \"http://a.example\",\n}"],
            "gateway.json:3: error: malformed JSON at column 1: a comma precedes the closing bracket (expected JSON without it, or a file whose name ends in .jsonc)"
        ),
        InvalidCase(
            "json-name", ["gateway.json": "{\nbaseUrl: 1}"],
            "gateway.json:2: error: malformed JSON at column 1: expected a member name in double quotes (expected RFC 8259 JSON)"
        ),
        InvalidCase(
            "json-comma-list", ["roles.json": "[\"Manager\", ]"],
            "roles.json:1: error: /roles: malformed JSON at column 13: a comma precedes the closing bracket (expected JSON without it, or a file whose name ends in .jsonc)"
        ),
        InvalidCase(
            "json-comment", ["roles.json": "[\n  // who may\n  \"Manager\"]"],
            "roles.json:2: error: /roles: malformed JSON at column 3: JSON has no comments (expected JSON without it, or a file whose name ends in .jsonc)"
        ),
        InvalidCase(
            "json-comment-behind", ["roles.json": "[\"Manager\" /* who may */]"],
            "roles.json:1: error: /roles: malformed JSON at column 12: JSON has no comments (expected JSON without it, or a file whose name ends in .jsonc)"
        ),
        InvalidCase(
            "json-comment-hash", ["roles.json": "# who may\n[\"Manager\"]"],
            "roles.json:1: error: /roles: malformed JSON at column 1: JSON has no comments (expected JSON without it, or a file whose name ends in .jsonc)"
        ),
        InvalidCase(
            "json-duplicate-member", ["gateway.json": "{\n\"workers\": 1,\n\"workers\": 2\n}"],
            "gateway.json:3: error: malformed JSON at column 1: the object has the member \"workers\" already (expected each member once)"
        ),
        InvalidCase(
            "json-column", ["gateway.json": "{ \"baseUrl\": \"http://bücher.example\", \"workers\" 2 }"],
            "gateway.json:1: error: malformed JSON at column 49: expected ':' after the member name (expected RFC 8259 JSON)"
        ),
        InvalidCase(
            "json-section",
            ["roles.json": "[\n\"Manager\"\n\"Clerk\"]", "users.json": #"[{"username": "a", "roles": ["Manager"]}]"#],
            "roles.json:3: error: /roles: malformed JSON at column 1: expected ',' or the closing bracket (expected RFC 8259 JSON)"
        ),
        InvalidCase(
            "section-twice", gateway: "\"workers\": 1,\n\"roles\": [\"Manager\"]",
            #"gateway.json:6: error: /roles: the section "roles" stands in roles.json as well (expected one of the two)"#
        ),
    ]
}
