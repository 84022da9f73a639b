#include "codegen/Emit/CpuLevel.h"
#include "lathe/runtime.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"

using namespace lathe;

// Code that asks the CPU. It has no stack protector and no sanitizer, since it must run in any program.
static const char *kCpuid = R"(
define internal { i32, i32, i32, i32 } @cpuid_part(i32 %leaf, i32 %part) #0 {
  %r = call { i32, i32, i32, i32 } asm "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}"(i32 %leaf, i32 %part)
  ret { i32, i32, i32, i32 } %r
}
define internal { i32, i32, i32, i32 } @cpuid(i32 %leaf) #0 {
  %r = call { i32, i32, i32, i32 } @cpuid_part(i32 %leaf, i32 0)
  ret { i32, i32, i32, i32 } %r
}
define internal i1 @has(i32 %word, i32 %bits) #0 {
  %present = and i32 %word, %bits
  %all = icmp eq i32 %present, %bits
  ret i1 %all
}
define internal i32 @xgetbv() #0 {
  %x = call { i32, i32 } asm "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0)
  %low = extractvalue { i32, i32 } %x, 0
  ret i32 %low
}
attributes #0 = { nounwind disable_sanitizer_instrumentation "lathe-baseline" "no-stack-protector" }
)";

// The bits of cpuid, grouped into levels by the x86-64 psABI, and into two above them by dot products. The code reads the
// largest leaf first, and OSXSAVE before it uses xgetbv. Level 0 means that cpuid has not run yet.
static const char *kLevel = R"(
define internal i32 @probe() #0 {
start:
  %leaf0 = call { i32, i32, i32, i32 } @cpuid(i32 0)
  %basic = extractvalue { i32, i32, i32, i32 } %leaf0, 0
  %ext0 = call { i32, i32, i32, i32 } @cpuid(i32 u0x80000000)
  %extended = extractvalue { i32, i32, i32, i32 } %ext0, 0
  %hasext = icmp uge i32 %extended, u0x80000001
  %leaf1 = call { i32, i32, i32, i32 } @cpuid(i32 1)
  %c1 = extractvalue { i32, i32, i32, i32 } %leaf1, 2
  br i1 %hasext, label %two, label %is1
two: ; sse3 0, ssse3 9, cx16 13, sse4.1 19, sse4.2 20, popcnt 23; lahf 0
  %ext1 = call { i32, i32, i32, i32 } @cpuid(i32 u0x80000001)
  %ec = extractvalue { i32, i32, i32, i32 } %ext1, 2
  %two.a = call i1 @has(i32 %c1, i32 u0x00982201)
  %two.b = call i1 @has(i32 %ec, i32 1)
  %two.ok = and i1 %two.a, %two.b
  br i1 %two.ok, label %three, label %is1
three: ; fma 12, movbe 22, osxsave 27, avx 28, f16c 29; lzcnt 5
  %three.a = call i1 @has(i32 %c1, i32 u0x38401000)
  %three.b = call i1 @has(i32 %ec, i32 32)
  %three.c = icmp uge i32 %basic, 7
  %three.d = and i1 %three.a, %three.b
  %three.ok = and i1 %three.c, %three.d
  br i1 %three.ok, label %system, label %is2
system: ; the operating system saves ymm; bmi1 3, avx2 5, bmi2 8
  %xcr = call i32 @xgetbv()
  %leaf7 = call { i32, i32, i32, i32 } @cpuid(i32 7)
  %b7 = extractvalue { i32, i32, i32, i32 } %leaf7, 1
  %ymm = call i1 @has(i32 %xcr, i32 6)
  %system.a = call i1 @has(i32 %b7, i32 u0x128)
  %system.ok = and i1 %ymm, %system.a
  br i1 %system.ok, label %four, label %is2
four: ; opmask and zmm saved; avx512 f 16, dq 17, cd 28, bw 30, vl 31
  %zmm = call i1 @has(i32 %xcr, i32 u0xE6)
  %four.a = call i1 @has(i32 %b7, i32 u0xD0030000)
  %four.ok = and i1 %zmm, %four.a
  br i1 %four.ok, label %five, label %is3
five: ; avx512_vnni 11
  %c7 = extractvalue { i32, i32, i32, i32 } %leaf7, 2
  %five.ok = call i1 @has(i32 %c7, i32 u0x800)
  br i1 %five.ok, label %six, label %is4
six: ; avx512_bf16 5 of the leaf's second part, if there is one
  %parts = extractvalue { i32, i32, i32, i32 } %leaf7, 0
  %six.c = icmp uge i32 %parts, 1
  br i1 %six.c, label %second, label %is5
second:
  %leaf7.1 = call { i32, i32, i32, i32 } @cpuid_part(i32 7, i32 1)
  %a7 = extractvalue { i32, i32, i32, i32 } %leaf7.1, 0
  %six.ok = call i1 @has(i32 %a7, i32 u0x20)
  br i1 %six.ok, label %is6, label %is5
is1:
  ret i32 1
is2:
  ret i32 2
is3:
  ret i32 3
is4:
  ret i32 4
is5:
  ret i32 5
is6:
  ret i32 6
}
@cpu_level = internal global i32 0
define i32 @PREFIX_.level() #0 {
start:
  %known = load atomic i32, ptr @cpu_level monotonic, align 4
  %is.known = icmp ne i32 %known, 0
  br i1 %is.known, label %done, label %ask
ask: ; by several threads at once perhaps, with one answer
  %asked = call i32 @probe()
  store atomic i32 %asked, ptr @cpu_level monotonic, align 4
  ret i32 %asked
done:
  ret i32 %known
}
)";

// Whether a process may use the tile registers of AMX: cpuid says what the CPU has, xgetbv what the system saves, and Linux
// grants the memory for it to a process that asks by arch_prctl(ARCH_REQ_XCOMP_PERM, 18). A CPU without AMX and a grant stay; a
// refusal does not, since a process can mend its cause.
static const char *kTiles = R"(
define internal i32 @probe_tiles() #0 {
start:
  %leaf0 = call { i32, i32, i32, i32 } @cpuid(i32 0)
  %basic = extractvalue { i32, i32, i32, i32 } %leaf0, 0
  %leaf1 = call { i32, i32, i32, i32 } @cpuid(i32 1)
  %c1 = extractvalue { i32, i32, i32, i32 } %leaf1, 2
  %osxsave = call i1 @has(i32 %c1, i32 u0x08000000)
  %leaf7.ok = icmp uge i32 %basic, 7
  %can.ask = and i1 %osxsave, %leaf7.ok
  br i1 %can.ask, label %cpu, label %absent
cpu: ; the operating system saves tiles; amx-bf16 22, amx-tile 24
  %xcr = call i32 @xgetbv()
  %leaf7 = call { i32, i32, i32, i32 } @cpuid(i32 7)
  %d7 = extractvalue { i32, i32, i32, i32 } %leaf7, 3
  %saved = call i1 @has(i32 %xcr, i32 u0x60000)
  %present = call i1 @has(i32 %d7, i32 u0x01400000)
  %cpu.ok = and i1 %saved, %present
  br i1 %cpu.ok, label %system, label %absent
system:
  %failure = call i64 asm sideeffect "syscall", "={ax},{ax},{di},{si},~{rcx},~{r11},~{memory},~{dirflag},~{fpsr},~{flags}"(i64 158, i64 u0x1023, i64 18)
  %granted = icmp eq i64 %failure, 0
  %answer = select i1 %granted, i32 GRANTED, i32 REFUSED
  ret i32 %answer
absent:
  ret i32 ABSENT
}
@tiles_state = internal global i32 0
define i32 @PREFIX_.tiles() #0 {
start:
  %known = load atomic i32, ptr @tiles_state monotonic, align 4
  %is.known = icmp ne i32 %known, 0
  br i1 %is.known, label %done, label %ask
ask: ; by several threads at once perhaps, with one answer
  %asked = call i32 @probe_tiles()
  %passes = icmp eq i32 %asked, REFUSED
  %kept = select i1 %passes, i32 0, i32 %asked
  store atomic i32 %kept, ptr @tiles_state monotonic, align 4
  ret i32 %asked
done:
  ret i32 %known
}
)";

/// Adds the code that begins a probe, and `text`, whose function PREFIX_`suffix` becomes internal.
static void addProbe(EmitContext &emit, llvm::StringRef suffix, std::string text) {
  const std::string kPrefix = "PREFIX";
  text.replace(text.find(kPrefix), kPrefix.size(), emit.signature.prefix);
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> probe = llvm::parseAssemblyString(kCpuid + text, diagnostic, emit.context);
  if (!probe)
    llvm::report_fatal_error(llvm::Twine("the CPU probe does not parse: ") + diagnostic.getMessage());
  probe->setDataLayout(emit.module.getDataLayout());
  probe->setTargetTriple(emit.module.getTargetTriple());
  llvm::Linker::linkModules(emit.module, std::move(probe)); // leaves out internal functions without callers
  emit.module.getFunction(emit.signature.prefix + suffix.str())->setLinkage(llvm::GlobalValue::InternalLinkage);
}

void lathe::addLevelFunction(EmitContext &emit) { addProbe(emit, "_.level", kLevel); }

void lathe::addTilesFunction(EmitContext &emit) {
  std::string text = kTiles;
  for (auto [name, value] : {std::pair("GRANTED", TilesGranted), {"REFUSED", TilesRefused}, {"ABSENT", TilesAbsent}})
    for (size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, std::strlen(name), std::to_string(value));
  addProbe(emit, "_.tiles", text);
}

llvm::Value *lathe::emitTiles(EmitContext &emit, llvm::IRBuilder<> &builder) {
  return builder.CreateCall(llvm::FunctionType::get(emit.i32, {}, false),
                            emit.module.getFunction(emit.signature.prefix + "_.tiles"));
}

llvm::Value *lathe::emitLevel(EmitContext &emit, llvm::IRBuilder<> &builder, llvm::Value *context) {
  llvm::Function *probe = emit.module.getFunction(emit.signature.prefix + "_.level");
  auto *type = llvm::FunctionType::get(emit.i32, {}, false);
  if (!context)
    return builder.CreateCall(type, probe);
  llvm::Function *function = builder.GetInsertBlock()->getParent();
  auto *missing = llvm::BasicBlock::Create(emit.context, "missing", function),
       *given = llvm::BasicBlock::Create(emit.context, "given", function);
  auto *next = llvm::BasicBlock::Create(emit.context, "next", function);
  builder.CreateCondBr(builder.CreateIsNull(context), missing, given);
  builder.SetInsertPoint(missing);
  llvm::Value *own = builder.CreateCall(type, probe);
  builder.CreateBr(next);
  builder.SetInsertPoint(given);
  llvm::Value *field = builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), context, offsetof(lathe_context, cpu_level));
  llvm::Value *level = builder.CreateLoad(emit.i32, field);
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
  llvm::PHINode *phi = builder.CreatePHI(emit.i32, 2);
  phi->addIncoming(own, missing);
  phi->addIncoming(level, given);
  return phi;
}
