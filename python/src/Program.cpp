#include "python/src/Program.h"
#include "python/src/DataTypes.h"
#include "python/src/Failure.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <nanobind/stl/string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nb = nanobind;
using namespace lathe::python;

static void *allocate(size_t size, const char *what) {
  void *memory = lathe_alloc(std::max<size_t>(size, 64));
  if (!memory)
    raise(PyExc_MemoryError, std::string(what) + " takes " + std::to_string(size) + " bytes");
  return memory;
}

static lathe_context *createContext(int threads) {
  if (threads < 0)
    raise(PyExc_ValueError, "threads is " + std::to_string(threads) + ", expected at least 0 (0: one for each core)");
  lathe_context *context = lathe_context_create(threads);
  if (!context)
    raise(PyExc_RuntimeError, "cannot start " + std::to_string(threads) + " threads");
  return context;
}

static const lathe_module_info *open(const std::string &path, const std::string &prefix) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    raise(PyExc_ImportError, dlerror());
  auto get = reinterpret_cast<const lathe_module_info *(*)()>(dlsym(library, (prefix + "_info").c_str()));
  const lathe_module_info *info = get ? get() : nullptr;
  if (!info || info->magic != LATHE_INFO_MAGIC)
    raise(PyExc_ImportError, "'" + path + "' was not made by lathec");
  if (info->abi_version != LATHE_ABI_VERSION)
    raise(PyExc_ImportError, "'" + path + "' has the ABI version " + std::to_string(info->abi_version) + ", this package " +
                                 std::to_string(LATHE_ABI_VERSION));
  return info;
}

/// Maps a file of weights for reading.
static const void *map(const std::string &path, size_t &size) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about;
  void *memory = MAP_FAILED;
  if (file >= 0 && fstat(file, &about) == 0) {
    size = size_t(about.st_size);
    memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  }
  if (file >= 0)
    close(file);
  if (memory == MAP_FAILED)
    raise(PyExc_OSError, "'" + path + "': " + std::strerror(errno));
  return memory;
}

Program::Program(const std::string &path, const std::string &prefix, const std::string &weightsPath, int threads)
    : info(open(path, prefix)), context(contextWith(threads)), threads(lathe_context_threads(context)) {
  state = allocate(info->state_size, "the state");
  if (!weightsPath.empty())
    weights = map(weightsPath, weightsSize);
}

Program::~Program() {
  for (auto &[count, each] : contexts)
    lathe_context_destroy(each);
  lathe_free(state);
  lathe_free(workspace);
  lathe_free(coldWorkspace);
  if (weights)
    munmap(const_cast<void *>(weights), weightsSize);
}

lathe_context *Program::contextWith(int count) {
  if (auto found = contexts.find(count == 0 ? cores : count); found != contexts.end())
    return found->second;
  lathe_context *made = createContext(count);
  const int threadCount = lathe_context_threads(made);
  if (count == 0)
    cores = threadCount;
  auto [place, isNew] = contexts.emplace(threadCount, made);
  if (!isNew) // one for each core, of which there are as many as an earlier call asked for
    lathe_context_destroy(made);
  return place->second;
}

void Program::setThreads(int count) {
  lathe_context *next = contextWith(count);
  threads = lathe_context_threads(next);
  nb::gil_scoped_release released;
  std::lock_guard guard(inUse);
  context = next;
}

static const lathe_state_info *find(const lathe_module_info &info, const std::string &name) {
  const lathe_state_info *end = info.state + info.state_count;
  const lathe_state_info *found = std::find_if(info.state, end, [&](auto &variable) { return name == variable.name; });
  return found == end ? nullptr : found;
}

nb::object Program::variable(nb::handle self, const std::string &name) {
  auto *program = nb::cast<Program *>(self);
  const lathe_state_info *variable = find(*program->info, name);
  if (!variable)
    raise(PyExc_KeyError, name);
  std::vector<size_t> shape(variable->extents, variable->extents + variable->rank);
  nb::ndarray<nb::numpy> view(static_cast<char *>(program->state) + variable->offset, shape.size(), shape.data(), self, nullptr,
                              storedType(variable->dtype));
  return withElements(nb::cast(view, nb::rv_policy::reference), variable->dtype);
}

std::vector<std::string> Program::variableNames() const {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < info->state_count; ++i)
    names.push_back(info->state[i].name);
  return names;
}

void Program::saveState(const std::string &path) {
  lathe_error error = {};
  lathe_status status;
  {
    nb::gil_scoped_release released;
    std::lock_guard guard(inUse); // a call in another thread may write the state
    status = lathe_state_save(path.c_str(), info, state, &error);
  }
  if (status != LATHE_OK)
    raise(error);
}

std::pair<std::vector<std::string>, std::vector<std::string>> Program::loadState(const std::string &path, bool partial) {
  struct Told {
    std::vector<std::string> missing, leftOver;
  } told;
  auto tell = [](void *user, lathe_state_difference what, const char *name) {
    auto &told = *static_cast<Told *>(user);
    (what == LATHE_STATE_MISSING ? told.missing : told.leftOver).push_back(name);
  };
  lathe_error error = {};
  unsigned allowed = partial ? LATHE_STATE_MISSING + LATHE_STATE_LEFT_OVER : 0;
  lathe_status status;
  {
    nb::gil_scoped_release released;
    std::lock_guard guard(inUse);
    status = lathe_state_load_some(path.c_str(), info, state, allowed, tell, &told, &error);
  }
  if (status != LATHE_OK)
    raise(error);
  return {told.missing, told.leftOver};
}

void Program::note(lathe_context *context, const lathe_kernel_info *kernel, int32_t begins) {
  auto &runs = static_cast<Program *>(context->user)->runs;
  if (begins)
    runs.push_back({kernel, Clock::now(), {}});
  else if (!runs.empty())
    runs.back().end = Clock::now();
}

void Program::startProfile() { isProfiled = true; }

nb::list Program::takeProfile() {
  isProfiled = false;
  std::vector<KernelRun> taken;
  {
    nb::gil_scoped_release released;
    std::lock_guard guard(inUse);
    taken.swap(runs);
  }
  nb::list rows;
  auto seconds = [](Clock::time_point time) { return std::chrono::duration<double>(time.time_since_epoch()).count(); };
  for (const KernelRun &run : taken)
    rows.append(nb::make_tuple(run.kernel->op, run.kernel->fused, run.kernel->file, run.kernel->line,
                               textOrNone(run.kernel->node), run.kernel->name, seconds(run.begin), seconds(run.end)));
  return rows;
}

/// Replaces memory that is too small. Returns false without memory, with the error record filled. The entry itself refuses
/// SIZE_MAX.
static bool grow(void *&memory, size_t &size, size_t needed, const lathe_function_info &function, lathe_error &error) {
  if (needed == SIZE_MAX || needed <= size)
    return true;
  lathe_free(memory);
  memory = lathe_alloc(needed);
  size = memory ? needed : 0;
  if (!memory) {
    error.status = LATHE_ERROR_OUT_OF_MEMORY;
    error.function = function.name;
    error.actual = int64_t(needed);
  }
  return memory != nullptr;
}

lathe_status Program::call(const lathe_function_info &function, const int64_t *dims, std::vector<char> &args,
                           lathe_context *own, lathe_error &error) {
  nb::gil_scoped_release released;
  std::lock_guard guard(inUse);
  lathe_context *used = own ? own : context;
  if (!grow(workspace, workspaceSize, function.workspace_size(dims), function, error) ||
      (function.cold_workspace_size &&
       !grow(coldWorkspace, coldWorkspaceSize, function.cold_workspace_size(dims), function, error)))
    return error.status;
  auto put = [&](uint32_t offset, auto value) {
    if (offset != LATHE_ABSENT)
      std::memcpy(args.data() + offset, &value, sizeof value);
  };
  put(function.state_offset, state);
  put(function.weights_offset, weights);
  put(function.weights_size_offset, weightsSize);
  put(function.workspace_offset, workspace);
  put(function.workspace_size_offset, workspaceSize);
  put(function.cold_workspace_offset, coldWorkspace);
  put(function.cold_workspace_size_offset, coldWorkspaceSize);
  put(function.context_offset, used);
  put(function.error_offset, &error);
  used->user = this;
  used->profile = isProfiled ? note : nullptr;
  return function.call(args.data());
}
