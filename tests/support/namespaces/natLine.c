// A home's line: two virtual network cards in two namespaces, joined with delay, loss, a rate and a bounded queue. For
// kernels without netem.
//
//   natLine NAMESPACE CARD NAMESPACE CARD DELAY_MS LOSS_PERCENT MBIT_PER_SECOND QUEUE_MS SEED
//
// All figures hold for each direction; a rate of 0 is no limit. It says `ready` on standard output, and what it has
// carried in one line of JSON when it gets SIGTERM.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 16384, SLOT_BYTES = 1792, AT_ONCE = 64 };

typedef struct {
  int64_t due;
  int size;
  unsigned char bytes[SLOT_BYTES];
} Frame;

// Frames leave in the order in which they came.
typedef struct {
  int from, to;
  Frame *frames;
  unsigned head, count;
  int64_t free_at;
  uint64_t random;
  unsigned long carried, lost, dropped, bytes;
} Direction;

static int64_t delay_ns, queue_ns;
static double ns_per_byte, loss;
static volatile sig_atomic_t is_over;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// xorshift64*: from 0 up to 1.
static double next_random(Direction *line) {
  line->random ^= line->random >> 12;
  line->random ^= line->random << 25;
  line->random ^= line->random >> 27;
  return (double)((line->random * 2685821657736338717ULL) >> 11) / 9007199254740992.0;
}

static int open_card(const char *name_space, const char *name) {
  char path[256];
  snprintf(path, sizeof path, "/run/netns/%s", name_space);
  int place = open(path, O_RDONLY | O_CLOEXEC);
  if (place < 0 || setns(place, CLONE_NEWNET) < 0) fail(path);
  close(place);
  int card = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
  strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  if (card < 0 || ioctl(card, TUNSETIFF, &request) < 0) fail(name);
  int room = 16 << 20;
  ioctl(card, TUNSETSNDBUF, &room);
  return card;
}

// The bottleneck comes first, then the delay: what is lost on the way has taken its time there.
static void enter(Direction *line, int size, int64_t now) {
  Frame *frame = &line->frames[(line->head + line->count) % SLOTS];
  int64_t leaves = now;
  if (ns_per_byte > 0) {
    if (line->free_at < now) line->free_at = now;
    if (line->free_at - now > queue_ns) {
      line->dropped++;
      return;
    }
    line->free_at += (int64_t)(size * ns_per_byte);
    leaves = line->free_at;
  }
  if (loss > 0 && next_random(line) < loss) {
    line->lost++;
    return;
  }
  frame->due = leaves + delay_ns;
  frame->size = size;
  line->count++;
}

static int take_in(Direction *line) {
  int taken = 0;
  for (; taken < AT_ONCE && line->count < SLOTS; taken++) {
    Frame *frame = &line->frames[(line->head + line->count) % SLOTS];
    ssize_t size = read(line->from, frame->bytes, SLOT_BYTES);
    if (size <= 0) break;
    enter(line, (int)size, now_ns());
  }
  return taken;
}

static void let_out(Direction *line) {
  while (line->count > 0) {
    Frame *frame = &line->frames[line->head];
    if (frame->due > now_ns()) return;
    if (write(line->to, frame->bytes, frame->size) < 0 && errno == EAGAIN) return;
    line->carried++;
    line->bytes += frame->size;
    line->head = (line->head + 1) % SLOTS;
    line->count--;
  }
}

static void say(const char *name, const Direction *line, const char *end) {
  printf("\"%s\":{\"carried\":%lu,\"bytes\":%lu,\"lost\":%lu,\"dropped\":%lu}%s", name, line->carried,
         line->bytes, line->lost, line->dropped, end);
}

static void stop(int signal) {
  (void)signal;
  is_over = 1;
}

int main(int count, char **words) {
  if (count != 10) {
    fprintf(stderr, "natLine NAMESPACE CARD NAMESPACE CARD DELAY_MS LOSS_PERCENT MBIT_PER_SECOND QUEUE_MS SEED\n");
    return 2;
  }
  delay_ns = (int64_t)(atof(words[5]) * 1e6);
  loss = atof(words[6]) / 100;
  ns_per_byte = atof(words[7]) > 0 ? 8000 / atof(words[7]) : 0;
  queue_ns = (int64_t)(atof(words[8]) * 1e6);
  uint64_t seed = strtoull(words[9], NULL, 10);
  // Nobody who is killed leaves a line behind.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_TIMERSLACK, 1000);
  // A line does not wait for the programs that it is to measure.
  setpriority(PRIO_PROCESS, 0, -15);
  signal(SIGTERM, stop);
  signal(SIGINT, SIG_IGN);
  int one = open_card(words[1], words[2]);
  int other = open_card(words[3], words[4]);
  Direction lines[2] = {{.from = one, .to = other, .random = 2 * seed + 88172645463325253ULL},
                        {.from = other, .to = one, .random = 3 * seed + 58172645463325253ULL}};
  for (int i = 0; i < 2; i++) {
    lines[i].frames = calloc(SLOTS, sizeof(Frame));
    if (!lines[i].frames) fail("memory");
  }
  printf("ready\n");
  fflush(stdout);
  while (!is_over) {
    int taken = 0;
    int64_t due = INT64_MAX;
    for (int i = 0; i < 2; i++) {
      taken += take_in(&lines[i]);
      let_out(&lines[i]);
      if (lines[i].count > 0 && lines[i].frames[lines[i].head].due < due) due = lines[i].frames[lines[i].head].due;
    }
    if (taken > 0) continue;
    int64_t wait = due == INT64_MAX ? 1000000000 : due - now_ns();
    // What is overdue could not be written: the other card's queue is full.
    if (wait <= 0) wait = 50000;
    struct timespec time = {.tv_sec = wait / 1000000000, .tv_nsec = wait % 1000000000};
    struct pollfd cards[2] = {{.fd = one, .events = POLLIN}, {.fd = other, .events = POLLIN}};
    ppoll(cards, 2, &time, NULL);
  }
  printf("{");
  say("there", &lines[0], ",");
  say("back", &lines[1], "}\n");
  return 0;
}
