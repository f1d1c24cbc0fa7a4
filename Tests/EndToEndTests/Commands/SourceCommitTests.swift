import Foundation
import TestSupport
import Testing

/// The commit that a build adds to the program as an object of its own.
@Suite struct SourceCommitTests {
    private static let program = """
        #include <stdio.h>
        #include "texts.h"
        int main(void) {
            for (long place = 0; source_commit(place) >= 0; place++) putchar(source_commit(place));
        }
        """

    @Test(arguments: ["0123456789ab-dirty", nil])
    func linked(_ commit: String?) throws {
        let directory = try ConfigurationDirectory(["main.c": Self.program])
        let texts = Vectors.root.appending(path: "Sources/CTexts").path
        var sources = ["main.c", "\(texts)/texts.c"]
        if let commit {
            try directory.write("commit.c", "const char portcullis_commit[] = \"\(commit)\";\n")
            sources.append("commit.c")
        }
        let built = try Program.run(
            "/usr/bin/env", ["clang", "-fPIE", "-pie", "-I", texts, "-o", "shown"] + sources, directory: directory.path)
        try #require(built.ending == .exit(0), "\(built.errors)")
        #expect(try Program.run("\(directory.path)/shown", []).output == commit ?? "")
    }

    @Test("`deploy/build` adds the object to the release, by the name that the texts have for it")
    func build() {
        let script = Vectors.text("deploy/build")
        #expect(script.contains("const char portcullis_commit[] = ") && script.contains("-Xlinker \"$object\""))
    }
}
