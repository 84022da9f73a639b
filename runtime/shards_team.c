/* Numbered threads for contexts that run concurrently. They wait at a lock rather than spin: their jobs take milliseconds, and
 * the cores belong to their contexts' pools. Stacks have the default size, since a device's driver compiles on them.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "shards.h"

#include <pthread.h>
#include <signal.h>

typedef struct member {
  lathe_team *team;
  int number;
  pthread_t thread;
} member;

struct lathe_team {
  pthread_mutex_t lock;
  pthread_cond_t begin, end;
  /* Protected by the lock: */
  lathe_team_job job;
  void *closure;
  uint64_t round; /* counts the calls of run */
  int active, pending;
  bool quits;
  int started; /* members that run; the caller is not a member */
  member members[];
};

static void *work(void *argument) {
  const member *self = argument;
  lathe_team *team = self->team;
  uint64_t seen = 0;
  pthread_mutex_lock(&team->lock);
  for (;;) {
    while (team->round == seen && !team->quits)
      pthread_cond_wait(&team->begin, &team->lock);
    if (team->quits)
      break;
    seen = team->round;
    if (self->number >= team->active)
      continue;
    pthread_mutex_unlock(&team->lock);
    team->job(team->closure, self->number);
    pthread_mutex_lock(&team->lock);
    if (--team->pending == 0)
      pthread_cond_signal(&team->end);
  }
  pthread_mutex_unlock(&team->lock);
  return NULL;
}

lathe_team *lathe_team_create(int count) {
  lathe_team *team = lathe_alloc(sizeof *team + (size_t)(count - 1) * sizeof(member));
  if (!team)
    return NULL;
  pthread_mutex_init(&team->lock, NULL);
  pthread_cond_init(&team->begin, NULL);
  pthread_cond_init(&team->end, NULL);
  /* Signals go to the application's own threads. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int started = 0;
  for (; started < count - 1; ++started) {
    member *each = &team->members[started];
    *each = (member){.team = team, .number = started + 1};
    if (pthread_create(&each->thread, NULL, work, each) != 0)
      break;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  team->started = started;
  if (started == count - 1)
    return team;
  lathe_team_destroy(team);
  return NULL;
}

void lathe_team_destroy(lathe_team *team) {
  if (!team)
    return;
  pthread_mutex_lock(&team->lock);
  team->quits = true;
  pthread_cond_broadcast(&team->begin);
  pthread_mutex_unlock(&team->lock);
  for (int i = 0; i < team->started; ++i)
    pthread_join(team->members[i].thread, NULL);
  pthread_cond_destroy(&team->end);
  pthread_cond_destroy(&team->begin);
  pthread_mutex_destroy(&team->lock);
  lathe_free(team);
}

void lathe_team_run(lathe_team *team, lathe_team_job job, void *closure, int active) {
  pthread_mutex_lock(&team->lock);
  team->job = job;
  team->closure = closure;
  team->active = active;
  team->pending = active - 1;
  ++team->round;
  if (active > 1)
    pthread_cond_broadcast(&team->begin);
  pthread_mutex_unlock(&team->lock);
  job(closure, 0);
  pthread_mutex_lock(&team->lock);
  while (team->pending > 0)
    pthread_cond_wait(&team->end, &team->lock);
  pthread_mutex_unlock(&team->lock);
}
