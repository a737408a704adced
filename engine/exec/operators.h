// Makes operators of plans. Each kind of operator lives in a file of its own, behind one of these functions.
//
// Children come first, made already. A plan, its expressions and the RunState must outlive the operator.
#pragma once

#include <memory>
#include <vector>

#include "engine/exec/operator.h"
#include "engine/exec/run_state.h"
#include "engine/plan/plan.h"

namespace quadrille::exec {

class KeptRows;

// The whole tree below `plan`.
OperatorPointer make_operator(const plan::Plan& plan, RunState& run);

OperatorPointer make_nothing(const plan::Plan& plan);
OperatorPointer make_one_row();
OperatorPointer make_seed(const plan::Plan& plan, RunState& run);
OperatorPointer make_scan(const plan::Plan& plan, RunState& run);
OperatorPointer make_index_join(const plan::Plan& plan, OperatorPointer left, RunState& run);
// `right`: of child 1, read or not.
OperatorPointer make_hash_join(const plan::Plan& plan, OperatorPointer left, std::shared_ptr<KeptRows> right,
                               RunState& run);
// Makes its right side itself, anew for each batch of the left.
OperatorPointer make_lateral(const plan::Plan& plan, OperatorPointer left, RunState& run);
OperatorPointer make_minus(const plan::Plan& plan, OperatorPointer left, std::shared_ptr<KeptRows> right,
                           RunState& run);
// Of a plan that has a leaf: runs it on several threads, where it turns out to be long.
OperatorPointer make_gather(const plan::Plan& plan, RunState& run);
OperatorPointer make_filter(const plan::Plan& plan, OperatorPointer child, RunState& run);
OperatorPointer make_extend(const plan::Plan& plan, OperatorPointer child, RunState& run);
OperatorPointer make_union(const plan::Plan& plan, std::vector<OperatorPointer> children);
OperatorPointer make_values(const plan::Plan& plan, RunState& run);
OperatorPointer make_path(const plan::Plan& plan, OperatorPointer child, RunState& run);
// Makes its child itself, anew for each graph.
OperatorPointer make_each_graph(const plan::Plan& plan, RunState& run);
OperatorPointer make_named_graphs(const plan::Plan& plan, RunState& run);
OperatorPointer make_group(const plan::Plan& plan, OperatorPointer child, RunState& run);
OperatorPointer make_order_by(const plan::Plan& plan, OperatorPointer child, RunState& run);
OperatorPointer make_project(const plan::Plan& plan, OperatorPointer child);
OperatorPointer make_distinct(const plan::Plan& plan, OperatorPointer child, RunState& run);
OperatorPointer make_service(const plan::Plan& plan, RunState& run);
OperatorPointer make_slice(const plan::Plan& plan, OperatorPointer child);

}  // namespace quadrille::exec
