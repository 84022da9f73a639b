// Orders a kernel's blocks so that lanes which parted meet again.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <algorithm>
#include <queue>

namespace standin {

void runExit(Warp &warp, const Inst &inst);
void runJump(Warp &warp, const Inst &inst);
void runTable(Warp &warp, const Inst &inst);

namespace {
struct Block {
  u32 first, end;
  std::vector<u32> to, from;
};

/// A warp executes the lanes at the lowest pc first. They meet where paths join if a loop's blocks lie together, before what
/// follows the loop, and everything else lies behind what leads there. Compilers lay blocks out in any order.
class Layout {
public:
  explicit Layout(Kernel &kernel) : kernel(kernel) {}
  void run();

private:
  void findBlocks();
  void arrange(const std::vector<u32> &nodes, u32 header);
  std::vector<std::vector<u32>> components(const std::vector<u32> &nodes, u32 header);
  void connect(u32 node);
  void rewrite();

  Kernel &kernel;
  std::vector<Block> blocks;
  std::vector<u32> blockAt; // by instruction
  std::vector<u32> order;
  // Tarjan's algorithm, within the nodes of the present level.
  std::vector<u32> level, index, low, component, stack;
  u32 levels = 0, counter = 0, header = ~0u;
  std::vector<std::vector<u32>> found;
};

bool endsPath(const Inst &inst) {
  return inst.guard == noSlot && (inst.run == runJump || inst.run == runExit || inst.run == runTable);
}

void Layout::findBlocks() {
  const u32 count = static_cast<u32>(kernel.code.size());
  std::vector<bool> leads(count + 1);
  leads[0] = true;
  for (u32 i = 0; i < count; ++i) {
    const Inst &inst = kernel.code[i];
    if (inst.run == runJump)
      leads[inst.target] = true;
    if (inst.run == runTable)
      for (const u32 target : kernel.tables[inst.kind])
        leads[target] = true;
    if (inst.run == runJump || inst.run == runTable || inst.run == runExit)
      leads[i + 1] = true;
  }
  blockAt.resize(count);
  for (u32 i = 0; i < count; ++i) {
    if (leads[i])
      blocks.push_back({i, i, {}, {}});
    blocks.back().end = i + 1;
    blockAt[i] = static_cast<u32>(blocks.size()) - 1;
  }
  for (u32 b = 0; b < blocks.size(); ++b) {
    Block &block = blocks[b];
    const Inst &last = kernel.code[block.end - 1];
    if (last.run == runJump)
      block.to.push_back(blockAt[last.target]);
    if (last.run == runTable)
      for (const u32 target : kernel.tables[last.kind])
        block.to.push_back(blockAt[target]);
    if (!endsPath(last) && block.end < count)
      block.to.push_back(b + 1);
    for (const u32 next : block.to)
      blocks[next].from.push_back(b);
  }
}

void Layout::connect(u32 node) {
  const u32 here = level[node];
  index[node] = low[node] = ++counter;
  stack.push_back(node);
  for (const u32 next : blocks[node].to) {
    if (next == header || level[next] != here || component[next] != ~0u)
      continue;
    if (!index[next])
      connect(next);
    low[node] = std::min(low[node], low[next]);
  }
  if (low[node] != index[node])
    return;
  found.emplace_back();
  u32 member;
  do {
    member = stack.back();
    stack.pop_back();
    component[member] = static_cast<u32>(found.size()) - 1;
    found.back().push_back(member);
  } while (member != node);
}

/// The strongly connected parts of `nodes`, edges to the header of their loop left out.
std::vector<std::vector<u32>> Layout::components(const std::vector<u32> &nodes, u32 loopHeader) {
  ++levels;
  counter = 0;
  header = loopHeader;
  found.clear();
  for (const u32 node : nodes) {
    level[node] = levels;
    index[node] = 0;
    component[node] = ~0u;
  }
  for (const u32 node : nodes)
    if (!index[node])
      connect(node);
  return std::move(found);
}

/// Appends `nodes` to the order: parts after those that lead to them, the earliest in the text first.
void Layout::arrange(const std::vector<u32> &nodes, u32 loopHeader) {
  const auto parts = components(nodes, loopHeader);
  const u32 here = levels;
  std::vector<u32> waits(parts.size()), entry(parts.size(), ~0u);
  std::vector<std::vector<u32>> after(parts.size());
  for (u32 part = 0; part < parts.size(); ++part)
    for (const u32 node : parts[part]) {
      for (const u32 next : blocks[node].to)
        if (next != loopHeader && level[next] == here && component[next] != part) {
          after[part].push_back(component[next]);
          ++waits[component[next]];
        }
      const bool entered = node == 0 || node == loopHeader ||
                           std::any_of(blocks[node].from.begin(), blocks[node].from.end(),
                                       [&](u32 from) { return level[from] != here || component[from] != part; });
      if (entered)
        entry[part] = std::min(entry[part], node);
    }
  const auto key = [&](u32 part) {
    const u32 least = *std::min_element(parts[part].begin(), parts[part].end());
    return std::pair(std::find(parts[part].begin(), parts[part].end(), loopHeader) == parts[part].end() && least != 0, least);
  };
  std::priority_queue<std::pair<std::pair<bool, u32>, u32>, std::vector<std::pair<std::pair<bool, u32>, u32>>, std::greater<>>
      ready;
  for (u32 part = 0; part < parts.size(); ++part)
    if (!waits[part])
      ready.push({key(part), part});
  std::vector<u32> sequence;
  while (!ready.empty()) {
    const u32 part = ready.top().second;
    ready.pop();
    sequence.push_back(part);
    for (const u32 next : after[part])
      if (--waits[next] == 0)
        ready.push({key(next), next});
  }
  for (const u32 part : sequence) { // `level` is of use above only: the recursion below overwrites it
    if (parts[part].size() == 1)
      order.push_back(parts[part][0]);
    else
      arrange(parts[part], entry[part] == ~0u ? parts[part][0] : entry[part]);
  }
}

void Layout::rewrite() {
  std::vector<Inst> code;
  std::vector<u32> start(blocks.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const Block &block = blocks[order[i]];
    start[order[i]] = static_cast<u32>(code.size());
    code.insert(code.end(), kernel.code.begin() + block.first, kernel.code.begin() + block.end);
    const bool falls = !endsPath(code.back()) && block.end < kernel.code.size();
    if (falls && (i + 1 == order.size() || order[i + 1] != order[i] + 1)) {
      Inst jump;
      jump.run = runJump;
      jump.target = block.end;
      jump.line = code.back().line;
      jump.loc = code.back().loc;
      code.push_back(jump);
    }
  }
  for (Inst &inst : code)
    if (inst.run == runJump)
      inst.target = start[blockAt[inst.target]];
  for (auto &table : kernel.tables)
    for (u32 &target : table)
      target = start[blockAt[target]];
  kernel.code = std::move(code);
}

void Layout::run() {
  findBlocks();
  const size_t count = blocks.size();
  level.assign(count, 0);
  index.assign(count, 0);
  low.assign(count, 0);
  component.assign(count, ~0u);
  std::vector<u32> reached{0};
  std::vector<bool> seen(count);
  seen[0] = true;
  for (size_t i = 0; i < reached.size(); ++i)
    for (const u32 next : blocks[reached[i]].to)
      if (!seen[next]) {
        seen[next] = true;
        reached.push_back(next);
      }
  std::sort(reached.begin(), reached.end());
  // Unreachable blocks are kept at the end: a table may name them.
  arrange(reached, ~0u);
  for (u32 b = 0; b < count; ++b)
    if (!seen[b])
      order.push_back(b);
  rewrite();
}
} // namespace

void layOut(Kernel &kernel) { Layout(kernel).run(); }

} // namespace standin
