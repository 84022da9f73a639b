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
  lathe_context *device; /* whose memory has the call's buffers; NULL: they are in host memory */
  const char *input;     /* the call's buffers, or `stage` */
  char *output;
  bool is_inline;                                               /* all values of the call are in the messages with headers */
  enum { FLIGHT_EXCHANGES, FLIGHT_SPREADS, FLIGHT_DONE } phase; /* SPREADS: the parts of an all_reduce */
  bool is_small;                                                /* an all_reduce whose values are in the headers */
  mpi_peer *peers;                                              /* by index in the group, like the two below */
  mpi_message *incoming, *outgoing;
  MPI_Request *requests; /* of what is sent, at most two a rank */
  int *receivers;        /* their ranks */
  int request_count;
  uint64_t kind; /* of the call, for headers */
  char *parts;   /* of all ranks, which this one reduces: in `scratch` or in scratch memory of the device */
  char *scratch; /* kept for later calls, like `stage` */
  uint64_t scratch_size;
  char *stage; /* host memory for the input and the output of a call whose buffers are on a device */
  uint64_t stage_size;
} mpi_flight;

/* The message of a rank that does not take part any more. */
typedef struct mpi_ending {
  int64_t reason; /* 0: it has ended; else it has failed, see mpi_comm.c */
  int64_t rank;   /* which was the cause of that, or -1 */
} mpi_ending;

typedef struct mpi_comm {
  lathe_own_comm own; /* first */
  MPI_Comm comm;
  bool finalizes;         /* MPI was initialised here */
  bool has_lost;          /* a rank does not answer, so that MPI cannot be finalised */
  bool has_said;          /* that this rank does not take part any more */
  lathe_context *device;  /* of the calls in flight; NULL: they have buffers in host memory */
  bool has_device_failed; /* `finish` of the device says how */
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

/* ---- mpi_wait.c ---- */

/* A wait with a timeout that begins anew whenever something arrives. */
typedef struct mpi_patience {
  double timeout, since;
  uint64_t polls, events;
} mpi_patience;

mpi_patience lathe_mpi_begin_wait(double timeout);
/* Pauses. Returns false after the timeout. */
bool lathe_mpi_is_patient(mpi_patience *of, uint64_t events);

/* ---- mpi_device.c ---- */

/* Returns true if MPI takes device memory, or if LATHE_MPI_CUDA=1 in the environment says so. */
bool lathe_mpi_takes_device_memory(void);
/* Drains the stream and makes the device current, for calls of MPI with its memory. Returns the failure of the device, of which
 * it sets *error (may be NULL): then the device is not current. NULL for `device` does nothing. */
lathe_status lathe_mpi_enter(lathe_context *device, const char *function, lathe_error *error);
void lathe_mpi_leave(lathe_context *device);
/* Drains the stream during a flight. Returns an MPI error code if the device has failed. */
int lathe_mpi_settle(mpi_comm *comm, const mpi_flight *flight);
/* Finds where the buffers of a call are, and copies its input to the host if the messages with headers have room for it. */
int lathe_mpi_place(mpi_comm *comm, mpi_flight *flight, uint64_t input_bytes, uint64_t output_bytes);
/* Copies the output of such a call to the device. */
int lathe_mpi_unstage(mpi_comm *comm, const mpi_flight *flight, uint64_t output_bytes);
/* True if MPI gets addresses in the device's memory. */
static inline bool lathe_mpi_is_direct(const mpi_flight *flight) { return flight->device && !flight->is_inline; }

/* ---- mpi_kernels.c ---- */

/* A reduction of values: part i of `ranks` at parts + i * part_bytes, but part `index` at `own`. */
typedef struct mpi_reduction {
  const void *own, *parts;
  void *output;
  uint64_t part_bytes;
  int64_t ranks, index, count;
} mpi_reduction;

/* Queues a kernel that gives the bits of lathe_reduce; a NaN may be another one. */
void lathe_mpi_reduce_on_device(lathe_context *device, const lathe_collective_info *info, mpi_reduction of);

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
