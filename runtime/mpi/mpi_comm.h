/* A communicator over MPI, as its source files share it.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * All transfers are messages between two ranks, so that a failure can name the rank that is missing, and so that the order of
 * additions is ours: MPI's own reductions may add in any order. Each rank of a group sends each other one a message with a
 * header, which says what it runs, and with the values if they are few. More values follow in a message of their own.
 */
#ifndef LATHE_RUNTIME_MPI_COMM_H
#define LATHE_RUNTIME_MPI_COMM_H

#include "comm.h"

#include <mpi.h>

#pragma GCC visibility push(hidden)

enum {
  MPI_FLIGHTS = 4,    /* calls that exchange messages at the same time; later ones wait for their turn */
  MPI_INLINE = 1024,  /* bytes that a message with a header has room for */
  MPI_TAG_ENDED = 0,  /* a rank has ended */
  MPI_TAGS = 4096 * 4 /* the tags of calls, from MPI_TAG_FIRST on: each has one for each kind of message */
};

/* Kinds of messages of a call. */
typedef enum mpi_stream { MPI_HEADERS = 1, MPI_VALUES = 2, MPI_RESULTS = 3 } mpi_stream;

typedef struct mpi_message {
  uint64_t kind;  /* a hash of what the rank runs */
  int64_t count;  /* elements */
  int64_t value;  /* of gather */
  uint64_t bytes; /* of `data` that are used */
  char data[MPI_INLINE];
} mpi_message;

/* The messages from and to another rank of the group, for one call. */
typedef struct mpi_peer {
  bool is_awaited; /* it sends something */
  enum { PEER_SILENT, PEER_SENDING, PEER_DONE } state;
  void *target; /* of its values, unless they are in the message */
  uint64_t bytes;
  MPI_Request incoming;
} mpi_peer;

/* A call in progress. */
typedef struct mpi_flight {
  lathe_comm_call *call; /* moves when the queue grows: see number */
  int64_t number;
  lathe_group group;
  enum { FLIGHT_EXCHANGES, FLIGHT_SPREADS, FLIGHT_DONE } phase; /* SPREADS: the parts of an all_reduce */
  bool is_small;                                                /* an all_reduce whose values are in the headers */
  mpi_peer *peers;                                              /* by index in the group, like the two below */
  mpi_message *incoming, *outgoing;
  MPI_Request *requests; /* of what is sent, at most two a rank */
  int *receivers;        /* their ranks */
  int request_count;
  uint64_t kind; /* of the call, for headers */
  char *scratch; /* the parts of all ranks that this one reduces; kept for later calls */
  uint64_t scratch_size;
} mpi_flight;

/* The message of a rank that does not take part any more. */
typedef struct mpi_ending {
  int64_t reason; /* 0: it has ended; else it has failed, see mpi_comm.c */
  int64_t rank;   /* which was the cause of that, or -1 */
} mpi_ending;

typedef struct mpi_comm {
  lathe_own_comm own; /* first */
  MPI_Comm comm;
  bool finalizes; /* MPI was initialised here */
  bool has_lost;  /* a rank does not answer, so that MPI cannot be finalised */
  bool has_said;  /* that this rank does not take part any more */
  double timeout;
  lathe_comm_queue queue;
  int64_t launched;                    /* calls that are, or were, in flight */
  mpi_flight flights[MPI_FLIGHTS];     /* call n at n % MPI_FLIGHTS */
  MPI_Request *ending_requests;        /* by rank */
  mpi_ending *endings, own_ending;     /* by rank; what this one says */
  MPI_Request *own_requests;           /* with which it says so */
  const void **inputs;                 /* of a group, by index */
  uint64_t events;                     /* messages that have arrived */
  char text[MPI_MAX_ERROR_STRING + 1]; /* of the failure */
} mpi_comm;

/* ---- mpi_flight.c ---- */

/* Starts the exchange of a call. Returns an MPI error code; MPI_ERR_NO_MEM without memory. */
int lathe_mpi_launch(mpi_comm *comm, mpi_flight *flight, int64_t number);

/* How a step of a flight ended. */
typedef struct mpi_progress {
  int code;           /* of MPI */
  const char *reason; /* a rank runs something else; or NULL */
  int64_t rank, count;
} mpi_progress;

/* Does what can be done without waiting. */
mpi_progress lathe_mpi_step(mpi_comm *comm, mpi_flight *flight);
/* Returns the first rank that does not send, or does not receive; -1: none. */
int64_t lathe_mpi_missing(const mpi_flight *flight);
/* Gives up: cancels what MPI can cancel, and lets go of the rest. */
void lathe_mpi_abandon(mpi_flight *flight);

#pragma GCC visibility pop
#endif /* LATHE_RUNTIME_MPI_COMM_H */
