// The description of a compilation as JSON (docs/report.md lists the fields).
#include "lib/Compiler/Describe/Description.h"

using namespace lathe;
namespace json = llvm::json;

std::string DescribedType::str(const Sizes &sizes) const {
  std::string text = element;
  for (const Dim &dim : dims) {
    std::optional<int64_t> size = evaluate(dim, sizes);
    text += "[" + (size ? std::to_string(*size) : dim.str()) + "]";
  }
  return text;
}

/// Adds a place; without a line it is about the whole graph.
static void addPlace(json::Object &object, const SourcePlace &place) {
  if (place.line) {
    object["line"] = place.line;
    object["column"] = place.column;
  }
  if (!place.file.empty())
    object["file"] = place.file;
  if (!place.node.empty())
    object["node"] = place.node;
}

static json::Array listOf(llvm::ArrayRef<unsigned> numbers) {
  json::Array list;
  for (unsigned number : numbers)
    list.push_back(int64_t(number));
  return list;
}

static llvm::StringRef nameOf(TensorKind kind) {
  switch (kind) {
  case TensorKind::Workspace:
    return "workspace";
  case TensorKind::Input:
    return "input";
  case TensorKind::Output:
    return "output";
  case TensorKind::State:
    return "state";
  case TensorKind::Constant:
    return "constant";
  case TensorKind::Yielded:
    return "yielded";
  case TensorKind::Cold:
    return "cold";
  }
  llvm_unreachable("a kind of tensor");
}

namespace {
/// Writes one version for some sizes.
class VersionWriter {
public:
  VersionWriter(const DescribedVersion &version, llvm::ArrayRef<CompileRemark> remarks, const Sizes &given)
      : version(version), remarks(remarks), sizes(version.sizesFor(given, kReportedSize)) {
    for (auto [number, remark] : llvm::enumerate(remarks))
      at[{remark.line, remark.column, remark.node}].push_back(unsigned(number));
  }

  json::Object write() {
    LargestLiveSet largest;
    std::vector<int64_t> live = liveBytes(version, sizes, largest);
    json::Object sizesText;
    for (auto &[name, size] : sizes)
      sizesText[name] = size;
    json::Array kernels, regions, tensors;
    for (auto [number, kernel] : llvm::enumerate(version.kernels))
      kernels.push_back(write(kernel, live[number]));
    for (const DescribedRegion &region : version.regions)
      regions.push_back(write(region));
    for (const DescribedTensor &tensor : version.tensors)
      tensors.push_back(write(tensor));
    return json::Object{
        {"function", version.function},
        {"version", version.name},
        {"line", version.line},
        {"sizes", std::move(sizesText)},
        {"workspace", evaluate(version.workspace, sizes).value_or(0)},
        {"largest_live_set",
         json::Object{{"bytes", largest.bytes}, {"kernel", int64_t(largest.kernel)}, {"tensors", listOf(largest.tensors)}}},
        {"kernels", std::move(kernels)},
        {"regions", std::move(regions)},
        {"tensors", std::move(tensors)}};
  }

private:
  json::Object write(const DescribedKernel &kernel, int64_t live) {
    KernelCost cost = kernel.work.at(sizes);
    json::Array ops, schedules;
    std::set<unsigned> why;
    addRemarks(kernel.place, why);
    for (const DescribedOp &op : kernel.ops) {
      addRemarks(op.place, why);
      json::Array reads;
      for (int read : op.reads)
        reads.push_back(read);
      json::Object object{{"op", op.op}, {"type", op.type.str(sizes)}, {"reads", std::move(reads)}};
      addPlace(object, op.place);
      if (!op.name.empty())
        object["name"] = op.name;
      ops.push_back(std::move(object));
    }
    for (auto &[target, text] : kernel.schedules)
      schedules.push_back(json::Object{{"target", target}, {"schedule", text}});
    json::Object object{{"op", kernel.op},
                        {"fused", kernel.fused},
                        {"type", kernel.type.str(sizes)},
                        {"ops", std::move(ops)},
                        {"schedules", std::move(schedules)},
                        {"reads", listOf(kernel.reads)},
                        {"writes", listOf(kernel.writes)},
                        {"product_flop", cost.productFlops},
                        {"flop", cost.flops()},
                        {"bytes", cost.bytes},
                        {"estimate_ns", cost.nanoseconds()},
                        {"live_bytes", live},
                        {"why", listOf(llvm::to_vector(why))}};
    addPlace(object, kernel.place);
    if (kernel.region >= 0)
      object["region"] = kernel.region;
    return object;
  }

  json::Object write(const DescribedRegion &region) {
    json::Object object{{"op", region.op}};
    addPlace(object, region.place);
    if (region.parent >= 0)
      object["parent"] = region.parent;
    if (region.first <= region.last && region.last != UINT_MAX) {
      object["first"] = int64_t(region.first);
      object["last"] = int64_t(region.last);
    }
    return object;
  }

  json::Object write(const DescribedTensor &tensor) {
    json::Object object{{"kind", nameOf(tensor.kind)},
                        {"type", tensor.type.str(sizes)},
                        {"bytes", evaluate(tensor.bytes, sizes).value_or(0)},
                        {"first", int64_t(tensor.first)},
                        {"last", int64_t(tensor.last)}};
    addPlace(object, tensor.place);
    if (!tensor.name.empty())
      object["name"] = tensor.name;
    if (!tensor.op.empty())
      object["op"] = tensor.op;
    if (tensor.region >= 0)
      object["region"] = tensor.region;
    if (tensor.kind == TensorKind::Workspace)
      object["offset"] = evaluate(tensor.offset, sizes).value_or(0);
    return object;
  }

  /// Adds the decisions at a place.
  void addRemarks(const SourcePlace &place, std::set<unsigned> &why) {
    auto known = at.find({place.line, place.column, place.node});
    if (place.line && known != at.end())
      why.insert(known->second.begin(), known->second.end());
  }

  const DescribedVersion &version;
  llvm::ArrayRef<CompileRemark> remarks;
  Sizes sizes;
  std::map<std::tuple<int, int, std::string>, std::vector<unsigned>> at;
};
} // namespace

json::Object lathe::documentOf(const CompileDescription &description, llvm::ArrayRef<CompileRemark> remarks,
                               const Sizes &given) {
  json::Array versions, decisions;
  for (const DescribedVersion &version : description.versions)
    versions.push_back(VersionWriter(version, remarks, given).write());
  for (const CompileRemark &remark : remarks) {
    json::Object object{{"stage", remark.stage}, {"kind", remark.isMissed ? "missed" : "passed"}, {"text", remark.text}};
    addPlace(object, {remark.line, remark.column, "", remark.node});
    decisions.push_back(std::move(object));
  }
  json::Object document{{"format", "lathe-report"},        {"format_version", 1},
                        {"graph", description.graph},      {"target", description.target},
                        {"versions", std::move(versions)}, {"decisions", std::move(decisions)}};
  if (!description.text.empty())
    document["source"] = description.text;
  return document;
}
