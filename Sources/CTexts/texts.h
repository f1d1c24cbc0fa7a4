#pragma once
// Texts that are edited without knowledge of Swift: files, which the compiler makes part of the program. A change of one compiles
// no Swift again.

/// The byte at a place of the file, from 0; -1 behind its end.
int page_texts_en(long place);
int page_texts_de(long place);
int reason_texts(long place);
int source_commit(long place);
int completions_bash(long place);
int completions_zsh(long place);
int completions_fish(long place);
