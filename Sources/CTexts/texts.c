#include "texts.h"

// Swift's compiler knows the directive in all versions of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

#define AT(place) place >= 0 && place < (long)sizeof bytes ? bytes[place] : -1

int page_texts_en(long place) {
    static const unsigned char bytes[] = {
#embed "../../config/texts/en.json"
    };
    return AT(place);
}

int page_texts_de(long place) {
    static const unsigned char bytes[] = {
#embed "../../config/texts/de.json"
    };
    return AT(place);
}

int reason_texts(long place) {
    static const unsigned char bytes[] = {
#embed "../../config/reference/reasons.md"
    };
    return AT(place);
}

int completions_bash(long place) {
    static const unsigned char bytes[] = {
#embed "../../deploy/completions/portcullis.bash"
    };
    return AT(place);
}

int completions_zsh(long place) {
    static const unsigned char bytes[] = {
#embed "../../deploy/completions/portcullis.zsh"
    };
    return AT(place);
}

int completions_fish(long place) {
    static const unsigned char bytes[] = {
#embed "../../deploy/completions/portcullis.fish"
    };
    return AT(place);
}

// Of an object that `deploy/build` adds to the link, so that another commit compiles nothing.
extern const char portcullis_commit[] __attribute__((weak));

int source_commit(long place) {
    return portcullis_commit && portcullis_commit[place] ? portcullis_commit[place] : -1;
}
