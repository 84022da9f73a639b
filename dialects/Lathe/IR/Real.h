// A number as a parameter of an attribute: exact text, equality and hash by bits.
#ifndef LATHE_IR_REAL_H
#define LATHE_IR_REAL_H

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/Hashing.h"
#include <bit>
#include <cstdint>

namespace lathe {

struct Real {
  double value = 0;
  Real(double value = 0) : value(value) {}
  operator double() const { return value; }
  bool operator==(double other) const { return *this == Real(other); }
  bool operator==(const Real &other) const { return std::bit_cast<uint64_t>(value) == std::bit_cast<uint64_t>(other.value); }
};

inline llvm::hash_code hash_value(const Real &real) { return llvm::hash_value(std::bit_cast<uint64_t>(real.value)); }
/// Prints the shortest decimal text that reads back as the same number, with a point or an exponent.
llvm::raw_ostream &operator<<(llvm::raw_ostream &out, const Real &real);
inline mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer, const Real &real) {
  printer.getStream() << real;
  return printer;
}

} // namespace lathe

template <>
struct mlir::FieldParser<lathe::Real> {
  static mlir::FailureOr<lathe::Real> parse(mlir::AsmParser &parser) {
    double value;
    if (parser.parseFloat(value))
      return mlir::failure();
    return lathe::Real(value);
  }
};

#endif
