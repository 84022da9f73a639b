// The functions whose derivatives are tested, as text.
#ifndef LATHE_TEST_AUTODIFF_GRAPHS_H
#define LATHE_TEST_AUTODIFF_GRAPHS_H

#include <string>
#include <vector>

/// A module with a function @f over f64 and integer tensors. N is 3 and M is 2 where they are named.
struct Graph {
  std::string name, text;
  double low = -1.5, high = 1.5; // of float arguments
  double step = 1e-5;            // of differences
};

/// A gradient where the function is not smooth, or not finite.
struct Kink {
  std::string name, text;
  std::vector<double> at, slope; // of argument 0, a vector; @f gives a vector, whose sum is differentiated
};

std::vector<Graph> elementwiseGraphs();
std::vector<Graph> shapeGraphs();
std::vector<Graph> contractionGraphs();
std::vector<Graph> indexingGraphs();
std::vector<Graph> windowGraphs();        // and running results
std::vector<Graph> linearAlgebraGraphs(); // and sort
std::vector<Graph> programGraphs();
std::vector<Graph> controlGraphs();
std::vector<Graph> ruleGraphs();
/// All of the above: a family that is named here is in every test of graphs.
inline std::vector<Graph> differentiableGraphs() {
  std::vector<Graph> all;
  for (const auto &family : {elementwiseGraphs(), shapeGraphs(), contractionGraphs(), indexingGraphs(), windowGraphs(),
                             linearAlgebraGraphs(), programGraphs(), controlGraphs(), ruleGraphs()})
    all.insert(all.end(), family.begin(), family.end());
  return all;
}
std::vector<Kink> kinks();
std::vector<Kink> elementwiseKinks();

/// "func.func private @f(ARGUMENTS) -> RESULT { BODY return %r : RESULT }"
std::string function(const std::string &arguments, const std::string &result, const std::string &body);
/// @f of a vector of three.
std::string vectorFunction(const std::string &body);

#endif
