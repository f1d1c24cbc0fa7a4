// What a child process is to have, beside what Glibc's Swift module has: that is compiled without _GNU_SOURCE.
#pragma once

#include <spawn.h>

extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
