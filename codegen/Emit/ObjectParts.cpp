#include "codegen/Emit/ObjectParts.h"
#include "codegen/Emit/ObjectWriter.h"
#include "lib/Support/StringStream.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Support/ThreadPool.h"

using namespace lathe;

ObjectParts::ObjectParts(llvm::Module &module, unsigned count, const VectorTarget &target, unsigned optLevel, unsigned jobs)
    : target(target), optLevel(optLevel), jobs(jobs) {
  parts.emplace_back().module = &module;
  for (std::string &bitcode : divideModule(module, count))
    parts.emplace_back().bitcode = std::move(bitcode);
}

void ObjectParts::forEach(llvm::function_ref<void(Part &)> function) {
  llvm::DefaultThreadPool pool(jobs ? llvm::heavyweight_hardware_concurrency(jobs) : llvm::hardware_concurrency());
  for (Part &part : parts)
    pool.async([&part, function] { function(part); });
  pool.wait();
}

void ObjectParts::read(Part &part) const {
  std::string ignored; // the caller has made a machine of the same target
  part.machine = createTargetMachine(target, optLevel, ignored);
  if (part.module)
    return;
  part.context = std::make_unique<llvm::LLVMContext>();
  part.own = llvm::cantFail(llvm::parseBitcodeFile(llvm::MemoryBufferRef(part.bitcode, "part"), *part.context));
  part.module = part.own.get();
  part.bitcode = {};
}

void ObjectParts::optimize() {
  forEach([&](Part &part) {
    read(part);
    optimizeFunctions(*part.module, *part.machine, optLevel);
  });
}

bool ObjectParts::compile() {
  forEach([](Part &part) {
    StringStream out(part.object);
    part.isWritten = writeCode(*part.module, *part.machine, /*assembly=*/false, out);
    out.flush();
    part.own.reset(); // before its context
    part.context.reset();
  });
  return llvm::all_of(parts, [](const Part &part) { return part.isWritten; });
}

std::vector<std::string> ObjectParts::take() {
  std::vector<std::string> objects;
  for (Part &part : parts)
    objects.push_back(std::move(part.object));
  return objects;
}
