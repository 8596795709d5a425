/* A compiler in C talks to `ptxlift inline --serve`: one JSON object a line, both ways.
   Build: cc -o client client.c. Run: ./client 'ptxlift inline --serve'. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const REQUESTS[] = {
    "{\"id\": 1, \"do\": \"raise\", \"target\": \"gfx942\", \"constraints\": \"=r,r,r\","
    " \"operands\": [\"i32\", \"i32\", \"i32\"], \"template\": \"add.s32 %0, %1, %2;\"}\n",
    "{\"id\": 2, \"do\": \"raise\", \"target\": \"gfx942\", \"constraints\": \"=r\","
    " \"operands\": [\"i32\"], \"template\": \"mov.u32 %0, %7;\"}\n",
};

int main(int argc, char **argv) {
    int to[2], from[2];
    char line[1 << 16];
    size_t i;
    if (argc < 2 || pipe(to) != 0 || pipe(from) != 0) return 2;
    if (fork() == 0) {
        dup2(to[0], 0), dup2(from[1], 1);
        close(to[1]), close(from[0]);
        execl("/bin/sh", "sh", "-c", argv[1], (char *)0);
        _exit(127);
    }
    close(to[0]), close(from[1]);
    FILE *in = fdopen(from[0], "r");
    for (i = 0; i < sizeof REQUESTS / sizeof *REQUESTS; i++) {
        dprintf(to[1], "%s", REQUESTS[i]);
        if (!fgets(line, sizeof line, in)) return 1;
        fputs(line, stdout);
    }
    close(to[1]);
    wait(NULL);
    return 0;
}
