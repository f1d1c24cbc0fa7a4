import Testing

/// Mistakes in arguments: the message names the cause and, where there is one, the cure.
@Suite struct CommandSlipTests {
    @Test(
        "a mistyped word gets a suggestion",
        arguments: [
            (["serv"], "unknown command serv; did you mean serve?"),
            (["Check"], "unknown command Check; did you mean check?"),
            (["frobnicate"], "unknown command frobnicate; `portcullis --help` lists them"),
            (["check", "--prodction", "config"], "unknown option --prodction; did you mean --production?"),
            (["serve", "--confg=a"], "unknown option --confg=a; did you mean --config?"),
            (["serve", "--frobnicate"], "unknown option --frobnicate"),
            (["users", "ad"], "unknown action ad; did you mean add?"),
            (["users", "frob"], "unknown action frob; `portcullis users --help` lists them"),
            (["client", "create"], "unknown action create; did you mean `portcullis clients create`?"),
            (["clients", "login"], "unknown action login; did you mean `portcullis client login`?"),
            (["client", "tokn"], "unknown action tokn; did you mean token?"),
            (["client", "cred", "upate", "k"], "unknown action upate; did you mean update?"),
            (["cred", "gett", "k"], "unknown action gett; did you mean get?"),
            (["key", "wrp", "k"], "unknown action wrp; did you mean wrap?"),
            (["issuer", "tset", "x"], "unknown action tset; did you mean test?"),
            (
                ["echo", "--listen", "23101"],
                "--listen is not an IP address and port such as 127.0.0.1:9000: 23101; did you mean 127.0.0.1:23101?"
            ),
            (
                ["init", "a", "--users", "--listen", "localhost:8080"],
                "--listen is not an IP address and port such as 127.0.0.1:8080: localhost:8080; did you mean 127.0.0.1:8080?"
            ),
            (
                ["client", "capture", "--listen", "*:1"],
                "--listen is not an IP address and port such as 127.0.0.1:0: *:1; did you mean 0.0.0.0:1?"
            ),
            (["echo", "--listen", "api:1"], "--listen is not an IP address and port such as 127.0.0.1:9000: api:1"),
            (["echo", "--threads", "many"], "--threads is not a number from 1 to 64: many"),
            (
                ["keys", "add", "a", "--expires", "90days", "--config", "b"],
                #"--expires is not a duration of at most 100 years such as "24h" or "90d": "90days"; did you mean "90d"?"#
            ),
            (
                ["keys", "rotate", "a", "--overlap", "2 weeks", "--config", "b"],
                #"--overlap is not a duration of at most 100 years such as "24h" or "90d": "2 weeks"; did you mean "14d"?"#
            ),
            (
                ["init", "a", "--oidc", "https://idp.example/x/.well-known/openid-configuration", "--audience", "b"],
                """
                --oidc is the address of a discovery document: \
                https://idp.example/x/.well-known/openid-configuration; did you mean https://idp.example/x?
                """
            ),
        ])
    func slips(_ arguments: [String], _ answer: String) throws {
        let result = try CommandLine.run(arguments)
        #expect(result.ending == .exit(2))
        #expect(result.errors == "portcullis: \(answer)")
    }

    @Test("a chroot without /proc takes no arguments away")
    func withoutProc() throws {
        let library = try PreloadedLibrary(
            """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <errno.h>
            #include <stdio.h>
            #include <string.h>

            FILE *fopen(const char *path, const char *mode) {
                static FILE *(*real)(const char *, const char *);
                if (!real) real = dlsym(RTLD_NEXT, "fopen");
                if (strncmp(path, "/proc/", 6) == 0) { errno = ENOENT; return NULL; }
                return real(path, mode);
            }
            """)
        let words = ["explain", "-", "", "zwölf", "--host"]
        let known = try CommandLine.run(words)
        #expect(known.ending == .exit(2) && known.errors.contains("--host"), "\(known)")
        let kept = try Program.run(GatewayProcess.binary, words, environment: library.environment)
        #expect(kept.ending == known.ending && kept.errors == known.errors, "\(kept)")
    }
}
