/* The messages of one collective over MPI.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A large all_reduce has two exchanges: each rank gets part i of all values, where i is its index, reduces it, and sends the
 * result to all. In both, it sends and receives (n - 1) / n of the value, which is the least that any method needs.
 */
#include "mpi_comm.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- Messages ---- */

static int rank_of(const mpi_flight *flight, int64_t index) {
  return (int)(flight->group.first + index * flight->group.stride);
}

static int tag_of(int64_t number, mpi_stream stream) { return (int)(number * 4 % MPI_TAGS) + (int)stream; }

/* A message of any length: MPI counts elements by an int. The type ends when MPI does not need it any more. */
static int long_type(uint64_t bytes, MPI_Datatype *type) {
  enum { CHUNK = 1 << 20 };
  const int lengths[] = {(int)(bytes / CHUNK), (int)(bytes % CHUNK)};
  const MPI_Aint places[] = {0, (MPI_Aint)(bytes / CHUNK * CHUNK)};
  MPI_Datatype types[] = {MPI_DATATYPE_NULL, MPI_BYTE};
  int code = MPI_Type_contiguous(CHUNK, MPI_BYTE, &types[0]);
  if (code != MPI_SUCCESS)
    return code;
  code = MPI_Type_create_struct(2, lengths, places, types, type);
  MPI_Type_free(&types[0]);
  return code == MPI_SUCCESS ? MPI_Type_commit(type) : code;
}

typedef struct transfer {
  MPI_Comm comm;
  int rank, tag;
} transfer;

static int send(mpi_flight *flight, transfer with, const void *data, uint64_t bytes) {
  MPI_Request *request = &flight->requests[flight->request_count];
  *request = MPI_REQUEST_NULL;
  flight->receivers[flight->request_count++] = with.rank;
  if (bytes <= INT_MAX)
    return MPI_Isend(data, (int)bytes, MPI_BYTE, with.rank, with.tag, with.comm, request);
  MPI_Datatype type;
  int code = long_type(bytes, &type);
  if (code != MPI_SUCCESS)
    return code;
  code = MPI_Isend(data, 1, type, with.rank, with.tag, with.comm, request);
  MPI_Type_free(&type);
  return code;
}

static int receive(transfer with, void *data, uint64_t bytes, MPI_Request *request) {
  if (bytes <= INT_MAX)
    return MPI_Irecv(data, (int)bytes, MPI_BYTE, with.rank, with.tag, with.comm, request);
  MPI_Datatype type;
  int code = long_type(bytes, &type);
  if (code != MPI_SUCCESS)
    return code;
  code = MPI_Irecv(data, 1, type, with.rank, with.tag, with.comm, request);
  MPI_Type_free(&type);
  return code;
}

/* ---- What goes where ---- */

/* Part `index` of an all_reduce: elements [begin, end). */
typedef struct span {
  int64_t begin, end;
} span;

static span part_of(int64_t count, int64_t parts, int64_t index) {
  const int64_t share = count / parts, more = count % parts, begin = index * share + (index < more ? index : more);
  return (span){begin, begin + share + (index < more)};
}

static uint64_t element_size(const mpi_flight *flight) {
  return flight->call->info ? lathe_dtype_size(flight->call->info->dtype) : 0;
}

static bool reduces(const mpi_flight *flight) {
  const lathe_collective_info *info = flight->call->info;
  return info && (info->kind == LATHE_ALL_REDUCE || info->kind == LATHE_REDUCE_SCATTER);
}

/* The rank to which a permutation sends, and the one from which it receives. */
static int64_t shifted(const mpi_flight *flight, int64_t sign) {
  const int64_t size = flight->group.size;
  return (flight->group.index + sign * (flight->call->info->parameter % size) + size) % size;
}

static bool sends_to(const mpi_flight *flight, int64_t index) {
  const lathe_collective_info *info = flight->call->info;
  if (info && info->kind == LATHE_BROADCAST)
    return info->parameter == flight->group.index;
  return !info || info->kind != LATHE_PERMUTE || shifted(flight, 1) == index;
}

static bool receives_from(const mpi_flight *flight, int64_t index) {
  const lathe_collective_info *info = flight->call->info;
  if (info && info->kind == LATHE_BROADCAST)
    return info->parameter == index;
  return !info || info->kind != LATHE_PERMUTE || shifted(flight, -1) == index;
}

/* The bytes of the input that go to a rank. */
static uint64_t outgoing_part(const mpi_flight *flight, int64_t index, const char **data) {
  const lathe_comm_call *call = flight->call;
  const uint64_t size = element_size(flight), bytes = (uint64_t)call->count * size;
  *data = flight->input;
  if (!call->info)
    return 0;
  if (call->info->kind == LATHE_ALL_REDUCE && !flight->is_small) {
    const span part = part_of(call->count, flight->group.size, index);
    *data += (uint64_t)part.begin * size;
    return (uint64_t)(part.end - part.begin) * size;
  }
  if (bytes > 0 && (call->info->kind == LATHE_REDUCE_SCATTER || call->info->kind == LATHE_ALL_TO_ALL))
    *data += (uint64_t)index * bytes;
  return bytes;
}

/* The place for the bytes that come from a rank. */
static uint64_t incoming_part(const mpi_flight *flight, int64_t index, char **data) {
  const lathe_comm_call *call = flight->call;
  const uint64_t size = element_size(flight), bytes = (uint64_t)call->count * size;
  *data = flight->output;
  if (!call->info)
    return 0;
  if (reduces(flight)) {
    const span part = part_of(call->count, flight->group.size, flight->group.index);
    const bool is_part = call->info->kind == LATHE_ALL_REDUCE && !flight->is_small;
    const uint64_t part_bytes = is_part ? (uint64_t)(part.end - part.begin) * size : bytes;
    *data = flight->parts ? flight->parts + (uint64_t)index * part_bytes : NULL;
    return part_bytes;
  }
  if (bytes > 0 && (call->info->kind == LATHE_ALL_GATHER || call->info->kind == LATHE_ALL_TO_ALL))
    *data += (uint64_t)index * bytes;
  return bytes;
}

/* ---- Launch ---- */

static uint64_t hash_text(uint64_t start, const char *text) {
  for (; *text; ++text)
    start = (start ^ (unsigned char)*text) * 0x100000001b3;
  return start;
}

/* Two ranks run the same collective if its hashes are equal. */
static uint64_t kind_of(const lathe_collective_info *info) {
  if (!info)
    return 1;
  const int64_t fields[] = {info->kind, info->reduction, info->dtype, info->parameter};
  uint64_t hash = 0xcbf29ce484222325;
  for (int i = 0; i < 4; ++i)
    hash = (hash ^ (uint64_t)fields[i]) * 0x9E3779B97F4A7C15;
  return hash_text(hash, info->axis) | 2;
}

/* Finds room for the parts of the other ranks, unless they come with the headers. Returns an MPI error code. */
static int reserve_parts(mpi_comm *comm, mpi_flight *flight) {
  char *first;
  const uint64_t part = incoming_part(flight, 0, &first), size = part * (uint64_t)flight->group.size;
  flight->parts = NULL;
  if (!reduces(flight) || flight->is_inline || flight->group.size == 1)
    return MPI_SUCCESS;
  if (flight->device) {
    const uint32_t number = (uint32_t)(flight - comm->flights) | LATHE_SCRATCH_ON_DEVICE;
    flight->parts = flight->device->device->scratch(flight->device, number, size);
    return flight->parts ? MPI_SUCCESS : lathe_mpi_settle(comm, flight);
  }
  if (flight->scratch_size < size) {
    lathe_free(flight->scratch);
    flight->scratch = lathe_alloc(size);
    flight->scratch_size = flight->scratch ? size : 0;
  }
  flight->parts = flight->scratch;
  return flight->parts ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* The bytes of a call's whole input or output: of one part for each rank, or of one. */
static uint64_t bytes_of(const mpi_flight *flight, bool is_output) {
  const lathe_collective_info *info = flight->call->info;
  const uint64_t bytes = (uint64_t)flight->call->count * element_size(flight);
  if (!info)
    return 0;
  const bool has_parts = info->kind == LATHE_ALL_TO_ALL || info->kind == (is_output ? LATHE_ALL_GATHER : LATHE_REDUCE_SCATTER);
  return has_parts ? bytes * (uint64_t)flight->group.size : bytes;
}

/* All ranks decide alike whether values come with the headers: by the largest message, which is the one to the first rank. */
static int prepare(mpi_comm *comm, mpi_flight *flight) {
  const char *data;
  const uint64_t total = (uint64_t)flight->call->count * element_size(flight);
  flight->is_small = flight->call->info && flight->call->info->kind == LATHE_ALL_REDUCE && total <= MPI_INLINE;
  flight->input = flight->call->input;
  flight->is_inline = outgoing_part(flight, 0, &data) <= MPI_INLINE;
  const int code = lathe_mpi_place(comm, flight, bytes_of(flight, false), bytes_of(flight, true));
  return code == MPI_SUCCESS ? reserve_parts(comm, flight) : code;
}

static int send_to(mpi_comm *comm, mpi_flight *flight, int64_t index) {
  const char *data;
  const uint64_t bytes = outgoing_part(flight, index, &data);
  mpi_message *message = &flight->outgoing[index];
  message->kind = flight->kind;
  message->count = flight->call->count;
  message->value = flight->call->value;
  message->bytes = flight->is_inline ? bytes : 0;
  if (message->bytes > 0)
    memcpy(message->data, data, bytes);
  transfer with = {comm->comm, rank_of(flight, index), tag_of(flight->number, MPI_HEADERS)};
  int code = send(flight, with, message, offsetof(mpi_message, data) + message->bytes);
  with.tag = tag_of(flight->number, MPI_VALUES);
  if (code == MPI_SUCCESS && !flight->is_inline)
    code = send(flight, with, data, bytes);
  return code;
}

int lathe_mpi_launch(mpi_comm *comm, mpi_flight *flight, int64_t number) {
  flight->number = number;
  flight->call = lathe_comm_call_at(&comm->queue, number);
  const lathe_comm_call *call = flight->call;
  flight->group = lathe_comm_all(&comm->own.base);
  if (call->info)
    lathe_comm_group(&comm->own.base, call->info->axis, &flight->group);
  flight->phase = FLIGHT_EXCHANGES;
  flight->kind = kind_of(call->info);
  flight->request_count = 0;
  for (int64_t i = 0; i < flight->group.size; ++i)
    flight->peers[i] = (mpi_peer){.incoming = MPI_REQUEST_NULL};
  const int prepared = prepare(comm, flight);
  if (prepared != MPI_SUCCESS)
    return prepared;
  /* Receives first, so that what the others have sent already finds its place. */
  for (int64_t i = 0; i < flight->group.size; ++i) {
    if (i == flight->group.index || !receives_from(flight, i))
      continue;
    mpi_peer *peer = &flight->peers[i];
    peer->is_awaited = true;
    const transfer with = {comm->comm, rank_of(flight, i), tag_of(number, MPI_HEADERS)};
    const int code = receive(with, &flight->incoming[i], sizeof(mpi_message), &peer->incoming);
    if (code != MPI_SUCCESS)
      return code;
  }
  /* To the next rank first: the ranks do not all send to the same one. */
  for (int64_t k = 1; k < flight->group.size; ++k) {
    const int64_t i = (flight->group.index + k) % flight->group.size;
    const int code = sends_to(flight, i) ? send_to(comm, flight, i) : MPI_SUCCESS;
    if (code != MPI_SUCCESS)
      return code;
  }
  return MPI_SUCCESS;
}

/* ---- Progress ---- */

/* Takes a header: the values follow, or are in it. */
static mpi_progress take_header(mpi_comm *comm, mpi_flight *flight, int64_t index) {
  const mpi_message *message = &flight->incoming[index];
  mpi_peer *peer = &flight->peers[index];
  const bool is_same = message->kind == flight->kind;
  if (!is_same || message->count != flight->call->count)
    return (mpi_progress){
        .reason = is_same ? "sizes differ" : "calls differ", .rank = rank_of(flight, index), .count = message->count};
  char *target;
  peer->bytes = incoming_part(flight, index, &target);
  peer->target = target;
  peer->state = PEER_DONE;
  if (flight->is_inline) {
    if (!reduces(flight) && peer->bytes > 0)
      memcpy(target, message->data, peer->bytes);
    return (mpi_progress){.code = MPI_SUCCESS};
  }
  peer->state = PEER_SENDING;
  const transfer with = {comm->comm, rank_of(flight, index), tag_of(flight->number, MPI_VALUES)};
  return (mpi_progress){.code = receive(with, target, peer->bytes, &peer->incoming)};
}

/* Tests what a rank sends. */
static mpi_progress test_peer(mpi_comm *comm, mpi_flight *flight, int64_t index) {
  mpi_peer *peer = &flight->peers[index];
  int is_complete = 0;
  const int code = MPI_Test(&peer->incoming, &is_complete, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS || !is_complete)
    return (mpi_progress){.code = code};
  ++comm->events;
  if (peer->state == PEER_SILENT && flight->phase == FLIGHT_EXCHANGES)
    return take_header(comm, flight, index);
  peer->state = PEER_DONE;
  return (mpi_progress){.code = MPI_SUCCESS};
}

/* Copies what a rank sends to itself. */
static void keep_own(const mpi_flight *flight) {
  const int64_t own = flight->group.index;
  const char *from;
  char *to;
  if (!flight->call->info || reduces(flight) || !receives_from(flight, own))
    return;
  const uint64_t bytes = outgoing_part(flight, own, &from);
  (void)incoming_part(flight, own, &to);
  if (lathe_mpi_is_direct(flight))
    flight->device->device->copy(flight->device, to, from, bytes);
  else if (bytes > 0 && to != from)
    memcpy(to, from, bytes);
}

/* Reduces the values, or the parts, that have come. Returns an MPI error code. */
static int reduce(mpi_comm *comm, mpi_flight *flight) {
  const lathe_collective_info *info = flight->call->info;
  const int64_t own = flight->group.index;
  const char *input;
  const uint64_t size = element_size(flight), bytes = outgoing_part(flight, own, &input);
  char *output = flight->output;
  if (bytes == 0)
    return MPI_SUCCESS;
  if (info->kind == LATHE_ALL_REDUCE && !flight->is_small)
    output += (uint64_t)part_of(flight->call->count, flight->group.size, own).begin * size;
  const int64_t count = (int64_t)(bytes / size);
  if (lathe_mpi_is_direct(flight)) {
    lathe_mpi_reduce_on_device(flight->device, info,
                               (mpi_reduction){input, flight->parts, output, bytes, flight->group.size, own, count});
    return lathe_mpi_settle(comm, flight); /* before the parts are overwritten, and the result is sent */
  }
  for (int64_t i = 0; i < flight->group.size; ++i)
    comm->inputs[i] = i == own            ? (const void *)input
                      : flight->is_inline ? (const void *)flight->incoming[i].data
                                          : flight->peers[i].target;
  void *const outputs[] = {output};
  lathe_reduce(info->dtype, info->reduction, comm->inputs, flight->group.size, outputs, 1, 0, count);
  return MPI_SUCCESS;
}

/* Starts the second exchange of an all_reduce. What was sent of the input is sent: the output may be the same memory. */
static int spread(mpi_comm *comm, mpi_flight *flight) {
  const lathe_comm_call *call = flight->call;
  const uint64_t size = element_size(flight);
  char *output = flight->output;
  const span own = part_of(call->count, flight->group.size, flight->group.index);
  flight->phase = FLIGHT_SPREADS;
  flight->request_count = 0;
  for (int64_t i = 0; i < flight->group.size; ++i) {
    const span part = part_of(call->count, flight->group.size, i);
    mpi_peer *peer = &flight->peers[i];
    const transfer with = {comm->comm, rank_of(flight, i), tag_of(flight->number, MPI_RESULTS)};
    if (i == flight->group.index || part.begin == part.end)
      continue;
    peer->state = PEER_SENDING;
    const int code =
        receive(with, output + (uint64_t)part.begin * size, (uint64_t)(part.end - part.begin) * size, &peer->incoming);
    if (code != MPI_SUCCESS)
      return code;
  }
  for (int64_t k = 1; k < flight->group.size && own.begin < own.end; ++k) {
    const int64_t i = (flight->group.index + k) % flight->group.size;
    const transfer with = {comm->comm, rank_of(flight, i), tag_of(flight->number, MPI_RESULTS)};
    const int code = send(flight, with, output + (uint64_t)own.begin * size, (uint64_t)(own.end - own.begin) * size);
    if (code != MPI_SUCCESS)
      return code;
  }
  return MPI_SUCCESS;
}

static void finish_gather(const mpi_flight *flight) {
  int64_t *all = flight->call->output;
  for (int64_t i = 0; i < flight->group.size; ++i)
    all[i] = i == flight->group.index ? flight->call->value : flight->incoming[i].value;
}

/* Tests each send: those that are complete become null, so that lathe_mpi_missing finds the others. */
static int test_sends(mpi_flight *flight, bool *is_sent) {
  for (int i = 0; i < flight->request_count; ++i) {
    int is_complete = 1;
    const int code =
        flight->requests[i] == MPI_REQUEST_NULL ? MPI_SUCCESS : MPI_Test(&flight->requests[i], &is_complete, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
      return code;
    *is_sent = *is_sent && is_complete;
  }
  return MPI_SUCCESS;
}

/* Goes on after an exchange: the call is done, or its second exchange starts. Returns an MPI error code. */
static int advance(mpi_comm *comm, mpi_flight *flight) {
  const lathe_collective_info *info = flight->call->info;
  int code = MPI_SUCCESS;
  if (flight->phase == FLIGHT_EXCHANGES) {
    if (!info)
      finish_gather(flight);
    else if (reduces(flight))
      code = reduce(comm, flight);
    if (code != MPI_SUCCESS)
      return code;
    keep_own(flight);
    if (info && info->kind == LATHE_ALL_REDUCE && !flight->is_small && flight->group.size > 1)
      return spread(comm, flight);
  }
  if (flight->device && flight->is_inline)
    code = lathe_mpi_unstage(comm, flight, bytes_of(flight, true));
  flight->phase = FLIGHT_DONE;
  return code;
}

mpi_progress lathe_mpi_step(mpi_comm *comm, mpi_flight *flight) {
  mpi_progress result = {.code = MPI_SUCCESS};
  bool has_all = true;
  flight->call = lathe_comm_call_at(&comm->queue, flight->number);
  if (flight->phase == FLIGHT_DONE)
    return result;
  for (int64_t i = 0; i < flight->group.size; ++i) {
    mpi_peer *peer = &flight->peers[i];
    if (peer->is_awaited && peer->state != PEER_DONE)
      result = test_peer(comm, flight, i);
    if (result.code != MPI_SUCCESS || result.reason)
      return result;
    has_all = has_all && (!peer->is_awaited || peer->state == PEER_DONE);
  }
  bool is_sent = true;
  result.code = test_sends(flight, &is_sent);
  if (result.code != MPI_SUCCESS || !has_all || !is_sent)
    return result;
  result.code = advance(comm, flight);
  return result;
}

int64_t lathe_mpi_missing(const mpi_flight *flight) {
  for (int64_t i = 0; i < flight->group.size; ++i)
    if (flight->peers[i].is_awaited && flight->peers[i].state != PEER_DONE)
      return rank_of(flight, i);
  for (int i = 0; i < flight->request_count; ++i)
    if (flight->requests[i] != MPI_REQUEST_NULL)
      return flight->receivers[i];
  return -1;
}

void lathe_mpi_abandon(mpi_flight *flight) {
  if (flight->phase == FLIGHT_DONE)
    return;
  for (int64_t i = 0; i < flight->group.size; ++i)
    if (flight->peers[i].incoming != MPI_REQUEST_NULL) {
      MPI_Cancel(&flight->peers[i].incoming);
      MPI_Request_free(&flight->peers[i].incoming);
    }
  for (int i = 0; i < flight->request_count; ++i)
    if (flight->requests[i] != MPI_REQUEST_NULL)
      MPI_Request_free(&flight->requests[i]);
  flight->phase = FLIGHT_DONE;
}
