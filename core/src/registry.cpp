#include <portops/registry.hpp>

#include <memory>
#include <mutex>

#include <portops/check.hpp>

namespace portops {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<std::unique_ptr<Operator>> operators;
  std::function<void(const Operator&)> visitor;
};

// Never destroyed: libraries may register and call until the process ends.
Registry& registry() {
  static auto* instance = new Registry;
  return *instance;
}

}  // namespace

void register_operator(Operator op) {
  auto added = std::make_unique<Operator>(std::move(op));
  const auto parsed = parse_schema(added->schema_text);
  check(parsed.has_value(), added->schema_text, "this is not a schema of the form space::name(Tensor input) -> Tensor");
  added->schema = *parsed;
  added->name = std::string(parsed->space) + "::" + std::string(parsed->name);

  const std::lock_guard lock(registry().mutex);
  for (const auto& present : registry().operators) {
    if (present->name == added->name && present->schema.overload == added->schema.overload) {
      present->conflict = "two operators were registered under this name";
      return;
    }
  }
  registry().operators.push_back(std::move(added));
  if (registry().visitor) registry().visitor(*registry().operators.back());
}

void register_operator(std::string schema, ResultRule rule, Kernel forward, Kernel check) {
  Operator op;
  op.schema_text = std::move(schema);
  op.rule = rule;
  op.forward = forward;
  op.check = check;
  register_operator(std::move(op));
}

void visit_operators(std::function<void(const Operator&)> visit) {
  const std::lock_guard lock(registry().mutex);
  registry().visitor = std::move(visit);
  if (!registry().visitor) return;
  for (const auto& present : registry().operators) registry().visitor(*present);
}

std::vector<const Operator*> registered_operators() {
  const std::lock_guard lock(registry().mutex);
  std::vector<const Operator*> all;
  for (const auto& present : registry().operators) all.push_back(present.get());
  return all;
}

}  // namespace portops
