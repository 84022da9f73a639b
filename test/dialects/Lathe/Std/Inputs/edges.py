"""Uses beside the examples: other options, and operands at the edges of what there is."""
import math

from cases import Case

INF, NAN = math.inf, math.nan
ENDS = [INF, -INF, NAN, 0.0, -0.0, 1e300, -1e300, 4e-320, -4e-320, 700.0, -700.0, 0.5]
LINES = [[INF, 0, 1, 2], [NAN, 0, 1, INF], [-INF] * 4, [-INF, 0, 1, -INF], [1e300, 1e300, -1e300, 0], [INF, -INF, 0, 0],
         [4e-320, 0, 0, 0], [-1e300] * 4]
LINES = [float(x) for line in LINES for x in line]

ACTIVATIONS = ["relu", "relu6", "leaky_relu", "elu", "celu alpha 0.5", "selu", "gelu", "gelu approximation tanh", "silu", "mish",
               "softplus", "softsign", "log_sigmoid", "hard_sigmoid", "hard_swish", "hard_tanh", "tanh_shrink", "soft_shrink",
               "hard_shrink"]


def use(composite, operands, types, **data):
    name, _, options = composite.partition(" ")
    return Case(f"lathe.std.{name} {operands} {options}{' ' if options else ''}: {types}", **data)


def edge(*arguments, **data):
    """Compared without an absolute tolerance, but for the last bits of denormal numbers."""
    case = use(*arguments, **data)
    case.floor = 1e-322
    return case


def at_the_ends():
    """By the formulas: silu, mish, gelu and hard_swish of -inf are NaN (-inf * 0), as is softsign of inf (inf / inf)."""
    yield from (edge(name, "%x", "tensor<12xf32>", x=ENDS) for name in ACTIVATIONS)
    yield edge("prelu", "%x, %slope", "tensor<12xf32>, tensor<1xf32>", x=ENDS, slope=[0.25])
    yield edge("glu dim 0", "%x", "tensor<24xf32>", x=ENDS + ENDS[::-1])
    for name in ("softmax", "log_softmax", "logsumexp dims [1]", "logsumexp dims [-1] keep", "logsumexp", "max dims [1]",
                 "min dims [1]", "sum dims [1]", "mean dims [1]"):
        yield edge(name, "%x", "tensor<8x4xf32>", x=LINES)
    yield edge("softmax dim 0", "%x", "tensor<2x2xf32>", x=[-INF, -INF, 3.0, -INF])


def losses():
    pairs = "tensor<8xf32>"
    x = [INF, -INF, NAN, 1e300, -1e300, 0.0, 2.0, 1.0]
    y = [0.0, 1.0, 1.0, 0.0, 0.5, 0.5, 4e-320, 1.0]
    for name in ("mae", "huber", "huber delta 0.25", "hinge", "binary_cross_entropy_with_logits"):
        operands = "%logits, %target" if "logits" in name else "%prediction, %target"
        data = {operands[1:].split(",")[0]: x, "target": y}
        yield edge(f"{name} reduction none", operands, pairs, **data)
        yield edge(f"{name} reduction sum", operands, pairs, **data)
    yield edge("mse reduction none", "%prediction, %target", pairs, target=y,
               prediction=[INF, -INF, NAN, 1e150, 1.0, 0.0, 2.0, 1.0])
    yield edge("binary_cross_entropy reduction none", "%probability, %target", pairs,
               probability=[0.0, 0.0, 1.0, 1.0, 4e-320, NAN, 0.5, 1e-300], target=[0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.5, 0.25])
    yield edge("kl_divergence reduction none", "%log_prediction, %target", pairs,
               log_prediction=[-INF, -INF, 0.0, NAN, -1e300, -1.0, -0.0, NAN], target=[0.0, 0.5, 0.0, 0.0, 0.5, NAN, 1.0, 0.5])
    types = "tensor<8x4xf32>, tensor<8xi32>"
    for options in ("", " smoothing 0.2", " ignore_negative"):
        yield edge(f"cross_entropy reduction none{options}", "%logits, %labels", types, logits=LINES,
                   labels=[1, 0, 2, 0, 3, 9, -1, -7])
    some, none = [0, -1, 9, 3, -5, 5, 2, 9], [-1, -2, -3, -4, -5, -6, -7, -8]
    for options in ("", " reduction sum", " ignore_negative", " ignore_negative reduction sum", " ignore_negative smoothing 0.3"):
        yield use(f"cross_entropy{options}", "%logits, %labels", types, labels=some)
    yield use("cross_entropy ignore_negative", "%logits, %labels", types, labels=none)  # the mean of nothing
    yield use("cross_entropy", "%logits, %labels", "tensor<2x?x4xf32>, tensor<2x?xi64>")
    yield use("cross_entropy", "%logits, %labels", "tensor<5xf32>, tensor<i32>", labels=[3])
    for name in ("soft_cross_entropy", "mse", "mae", "huber", "hinge", "kl_divergence"):
        first = {"soft_cross_entropy": "logits, %probabilities", "kl_divergence": "log_prediction, %target"}
        for reduction in ("none", "sum"):
            yield use(f"{name} reduction {reduction}", "%" + first.get(name, "prediction, %target"), "tensor<?x4xf32>")
    yield use("reduced", "%each", "tensor<?x2xf32>")
    yield use("reduced reduction none", "%each", "tensor<?x2xf32>")
    yield use("cosine_similarity dim 0 epsilon 1.0", "%a, %b", "tensor<3x2xf32>", a=[0.0, 3.0, 0.5, 0.0, 0.0, 0.0])
    yield edge("cosine_similarity", "%a, %b", "tensor<2x2xf32>", a=[0.0, 0.0, 1e-20, 0.0], b=[1.0, 2.0, 1.0, 1.0])


def ragged():
    """A gap before the first row, rows of none, and a gap behind the last; what is in the gaps belongs to no row."""
    bounds = [2, 2, 4, 7, 7]
    values = [INF, NAN, 1e300, -INF, 1.0, -2.0, 3.0, -INF, 0.5, 2.0, 1.5, NAN, 800.0, -1.0, NAN, INF, 5000.0, 0.0]
    for name in ("row_ids", "segment_sum", "segment_mean", "segment_max", "segment_softmax"):
        for offset in ("i32", "i64"):
            yield edge(name, "%values, %offsets", f"tensor<9x2xf32>, tensor<5x{offset}>", values=values, offsets=bounds)
        yield use(name, "%values, %offsets", "tensor<6xf32>, tensor<4xi32>", offsets=[0, 0, 6, 6])
        yield use(name, "%values, %offsets", "tensor<3x2x2xf32>, tensor<2xi32>", offsets=[0, 3])
        yield use(name, "%values, %offsets", "tensor<?xf32>, tensor<?xi32>", offsets=lambda n: [0, 1, 1, 3][:n])
        yield edge(name, "%values, %offsets", "tensor<4xf32>, tensor<3xi32>", values=[9.0, 8.0, 7.0, 900.0], offsets=[4, 4, 4])
    yield use("segment_max", "%values, %offsets", "tensor<4x1xi32>, tensor<4xi32>", values=[4, -5, 6, -7], offsets=[0, 1, 1, 3])
    yield use("segment_sum", "%values, %offsets", "tensor<4xi32>, tensor<4xi32>", values=[4, -5, 6, -7], offsets=[1, 3, 3, 4])


def shapes():
    for name in ("sum", "max", "min", "mean", "variance", "norm", "logsumexp"):
        yield use(f"{name} keep dims [-1, 0]", "%x", "tensor<?x3x2xf32>")
        yield use(f"{name} keep", "%x", "tensor<?x3xf32>")
        yield use(f"{name} dims [2, 1]", "%x", "tensor<?x3x2xf32>")
        yield use(f"{name} dims [1]", "%x", "tensor<3x1xf32>")
    yield use("variance correction -1 dims [0, 1]", "%x", "tensor<?x3x2xf32>")
    yield use("variance correction 1 dims [1]", "%x", "tensor<3x1xf32>")  # nothing over nothing
    yield use("count", "%x", "tensor<?x3xi1>")
    yield use("sum dims [0]", "%x", "tensor<3x2xi32>", x=[2 ** 31 - 1, 1, 1, 2, -5, 3][::-1])
    yield use("max keep", "%x", "tensor<3xi64>", x=[-2 ** 63, -2 ** 62, -2 ** 63])
    for kind in ("i8", "i32", "i64", "f64", "f32", "f16"):
        yield use(f"one_hot size 3 type {kind}", "%index", "tensor<2x2xi64>", index=[2, -1, 3, 0])
    yield use("one_hot size 2", "%index", "tensor<i32>", index=[1])
    yield use("embedding", "%table, %ids", "tensor<3x2x2xf32>, tensor<2x?xi64>")
    yield use("embedding", "%table, %ids", "tensor<3xf32>, tensor<i32>", ids=[2])
    yield use("part index 0 of 1", "%x", "tensor<2x3xf32>")
    yield use("part dim 0 index 1 of 3", "%x", "tensor<6x?xi32>", x=lambda n: range(6 * n))
    yield use("max_pool window [2] stride [1]", "%x", "tensor<1x4x2xf32>", x=[NAN, -INF, 1.0, -INF, 2.0, -INF, 3.0, INF])
    yield use("max_pool window [3] stride [2] padding [1]", "%x", "tensor<?x5x2xf32>")
    yield use("max_pool window [2] stride [2] padding [1]", "%x", "tensor<1x4x1xi32>", x=[-2 ** 31, -5, -6, -7])
    yield use("average_pool window [3, 2] stride [2, 1] padding [1, 0]", "%x", "tensor<?x5x4x2xf32>")
    yield use("linear", "%x, %w", "tensor<8xf32>, tensor<8x3xf32>")
    yield use("linear", "%x, %w", "tensor<2x?xf32>, tensor<?x3xf32>")


def nothing():
    """Sums of no element are 0, means NaN, the largest is -inf; rows and keys of which there are none."""
    for name in ("sum", "sum dims [0]", "max dims [0]", "min", "mean", "mean dims [0] keep", "norm", "variance", "count",
                 "logsumexp", "logsumexp dims [0]", "softmax", "softmax dim 0", "layer_norm", "l2_normalize dims [0]", "relu"):
        yield use(name, "%x", "tensor<0x4xf32>")
    for name in ("row_ids", "segment_sum", "segment_mean", "segment_max", "segment_softmax"):
        yield use(name, "%values, %offsets", "tensor<0x2xf32>, tensor<3xi32>", offsets=[0, 0, 0])
        yield use(name, "%values, %offsets", "tensor<2xf32>, tensor<1xi64>", offsets=[0])
    yield use("mse", "%prediction, %target", "tensor<0x4xf32>")
    yield use("cross_entropy", "%logits, %labels", "tensor<0x4xf32>, tensor<0xi32>")
    yield use("attention", "%q, %k, %v", "tensor<2x4xf32>, tensor<0x4xf32>, tensor<0x3xf32>")
    yield use("linear", "%x, %w", "tensor<3x0xf32>, tensor<0x2xf32>")
    yield use("one_hot size 0", "%index", "tensor<3xi32>")
    yield use("embedding", "%table, %ids", "tensor<0x4xf32>, tensor<3xi32>")


def norms():
    x, c = "tensor<?x3x4xf32>", "tensor<4xf32>"
    yield use("layer_norm epsilon 0.5", "%x", x)
    yield use("layer_norm dims [-2, -1] scale %s", "%x", f"{x}, tensor<3x4xf32>")
    yield use("layer_norm bias %b dims [1]", "%x", f"{x}, tensor<3x1xf32>")
    yield use("rms_norm dims [1, 2]", "%x", x)
    yield use("l2_normalize dims [0, 2] epsilon 30.0", "%x", x)
    yield edge("l2_normalize", "%x", "tensor<3x2xf32>", x=[0.0, 0.0, 1e-100, 0.0, 3e-13, 0.0])
    yield use("batch_norm dim 1 epsilon 0.1", "%x", x)
    yield use("batch_norm dim 0 bias %b", "%x", f"{x}, tensor<?xf32>")
    yield use("batch_norm_inference scale %s", "%x, %mean, %variance", f"{x}, {c}, {c}, {c}")
    yield use("batch_norm_inference epsilon 2.0", "%x, %mean, %variance", f"{x}, {c}, {c}")
    yield use("group_norm dim 1 groups 1 bias %b", "%x", f"{x}, tensor<3xf32>")
    yield use("group_norm dim 1 groups 2 scale %s bias %b", "%x", "tensor<?x4x3x2xf32>, tensor<4xf32>, tensor<4xf32>")
    yield use("group_norm groups 2", "%x", "tensor<?x4xf32>")
    yield use("instance_norm dim 1 scale %s", "%x", f"{x}, tensor<3xf32>")


def attention():
    def of(options, q, k, v, *others, **data):
        return use(f"attention{options}", "%q, %k, %v", ", ".join(f"tensor<{t}>" for t in (q, k, v, *others)), **data)
    yield of("", "?x2x3xf32", "?x4x3xf32", "?x4x2xf32")
    yield of("", "2x?xf32", "4x?xf32", "4x3xf32")  # the scale is computed
    yield of(" causal", "?x5x3xf32", "?x2x3xf32", "?x2x2xf32")
    yield of(" causal scale 2.0", "1x2x3x4xf32", "1x2x5x4xf32", "1x2x5x2xf32")
    yield of(" causal", "?x4xf32", "?x4xf32", "?x2xf32")
    yield of(" mask %m", "2x3x4xf32", "2x3x4xf32", "2x3x2xf32", "3x3xi1", m=[1, 0, 1, 0, 0, 0, 0, 1, 1])
    yield of(" mask %m causal", "2x3x4xf32", "2x3x4xf32", "2x3x2xf32", "2x1x3xi1", m=[0, 1, 1, 0, 0, 0])
    yield of(" bias %b", "2x3x4xf32", "2x3x4xf32", "2x3x2xf32", "3x3xf32", b=[0.0, -INF, 1.0, -INF, -INF, -INF, 1e300, 0.0, -1e300])
    yield of(" causal bias %b mask %m", "2x3x4xf32", "2x3x4xf32", "2x3x2xf32", "1xf32", "3xi1", b=[1.0], m=[0, 1, 1])


def training():
    p = "tensor<3x4xf32>"
    slots = {"sgd": [], "momentum": ["v"], "adam": ["t", "m", "v"], "adamw": ["t", "m", "v"], "rmsprop": ["s"], "adagrad": ["s"],
             "lion": ["m"]}
    options = ["sgd", "momentum", "momentum momentum 0.5 weight_decay 0.1", "adam beta1 0.5 beta2 0.75 epsilon 0.01", "adamw",
               "rmsprop decay 0.5 epsilon 0.1", "adagrad epsilon 0.5", "lion", "lion beta1 0.5 beta2 0.25"]
    for each in options:
        names = ["p", "g", "rate"] + slots[each.split()[0]]
        types = ", ".join("tensor<f32>" if name in ("rate", "t") else p for name in names)
        yield use(each, ", ".join(f"%{name}" for name in names), types)
    yield use("adam", "%p, %g, %rate, %t, %m, %v", f"{p}, {p}, tensor<f32>, tensor<f32>, {p}, {p}", t=[1.0], g=[0.0] * 12,
              v=[0.0] * 12)
    yield use("clip_by_norm limit 100.0", "%g", p)
    yield edge("clip_by_norm limit 1.0", "%g", p, g=[0.0] * 12)
    yield use("clip_factor limit 10.0", "%total", "tensor<f32>")
    for step in (0.0, 1.0, 39.0, 100.0, 450.0):
        for each in ("exponential_decay initial 0.1 factor 0.5 steps 100.0",
                     "exponential_decay initial 1.0 factor 0.5 steps 100.0 staircase",
                     "cosine_decay initial 0.1 steps 100.0", "linear_schedule initial 0.0 final 0.1 steps 100.0"):
            yield use(each, "%step", "tensor<f32>", step=[step])
        if step:
            yield use("inverse_sqrt_schedule initial 0.1 warmup 40.0", "%step", "tensor<f32>", step=[step])


def recurrent():
    x, turned, rows = "tensor<5x?x3xf32>", "tensor<?x5x3xf32>", "tensor<?xi32>"
    state, three = "tensor<?x2xf32>", "%x, %weights, %recurrent"

    def of(options, types, blocks, *others, sequence=x, **data):
        weights = f"tensor<{2 * blocks}x3xf32>, tensor<{2 * blocks}x2xf32>"
        return use(options, three, ", ".join([sequence, weights, *[type.format(2 * blocks) for type in types]]), **data)
    b = "tensor<{}xf32>"
    for function in ("sigmoid", "relu", "leaky_relu", "elu", "softplus", "softsign", "hard_sigmoid", "none"):
        yield of(f"rnn activation {function} reverse", [], 1)
    yield of("rnn bias %b recurrent_bias %d h0 %h lengths %lengths", [b, b, state, rows], 1)
    yield of("rnn h0 %h lengths %lengths reverse time 1", [state, "tensor<?xi64>"], 1, sequence=turned)
    for gates in ("ifgo", "iofc"):
        yield of(f"lstm gates {gates} bias %b recurrent_bias %d peepholes %p h0 %h c0 %m lengths %lengths",
                 [b, b, "tensor<6xf32>", state, state, rows], 4)
        yield of(f"lstm gates {gates} activation hard_sigmoid cell_activation softsign hidden_activation none reverse", [], 4)
    yield of("lstm lengths %lengths checkpoint every 2", [rows], 4)
    yield of("lstm c0 %m time 1 reverse", [state], 4, sequence=turned)
    for gates in ("rzn", "zrn"):
        for reset in ("after", "before"):
            yield of(f"gru gates {gates} reset {reset} bias %b recurrent_bias %d h0 %h lengths %lengths reverse",
                     [b, b, state, rows], 3)
    yield of("gru activation hard_sigmoid new_activation relu time 1", [], 3, sequence=turned)
    yield use("within dim -2", "%x, %lengths", "tensor<?x7x1xi8>, tensor<?xi64>", x=lambda n: [0] * 7 * n)
    yield use("activation function softsign", "%x", "tensor<f32>")


def alignments():
    """Feasible ones and none: too few steps, a repeated class without a step for the blank between, no class at all."""
    p, t, rows = "tensor<4x?x3xf32>", "tensor<?x2xi64>", "tensor<?xi32>"
    two = "%log_probabilities, %targets"
    yield use("ctc_loss reduction none", two, f"{p}, {t}", targets=lambda n: [1, 2, 1, 1, 2, 1][:2 * n])
    yield use("ctc_loss reduction sum blank 2", two, f"{p}, {t}", targets=lambda n: [1, 0, 1, 1, 0, 0][:2 * n])
    yield use("ctc_loss input_lengths %input_lengths reduction none", two, f"{p}, {t}, {rows}",
              targets=lambda n: [1, 2, 1, 1, 1, 1][:2 * n], input_lengths=lambda n: [2, 2, 3][:n])
    yield use("ctc_loss input_lengths %input_lengths target_lengths %target_lengths reduction none", two, f"{p}, {t}, {rows}, {rows}",
              targets=lambda n: [1, -1, 7, 1, -5, 9][:2 * n], input_lengths=lambda n: [0, 9, 0][:n],
              target_lengths=lambda n: [1, 2, 0][:n])
    yield use("ctc_loss target_lengths %target_lengths reduction none", two, f"{p}, {t}, tensor<?xi64>",
              targets=lambda n: [1, -1, 2, 1, 1, 2][:2 * n], target_lengths=lambda n: [1, 3, -1][:n])
    some = [-1.0, -INF, -0.5, -INF, -INF, 0.0, 0.0, -INF, -INF, -1.0, -1.0, -2.0]
    yield use("ctc_loss reduction none", two, "tensor<4x1x3xf32>, tensor<1x1xi32>", targets=[2], log_probabilities=some)
    yield use("ctc_loss reduction none", two, "tensor<4x1x3xf32>, tensor<1x1xi32>", targets=[1], log_probabilities=[-INF] * 12)


def decoding():
    words = "vocabulary 6 end {} max_length {} type f32"
    types = "tensor<?xi32>, tensor<?x4xf32>, tensor<6x4xf32>"
    for end, longest in ((0, 1), (3, 7), (9, 4)):  # 9 never comes
        of = f"state %h with %table function @step {words.format(end, longest)}"
        yield use(f"greedy_decode {of}", "%first", types)
        for options in ("beams 1", "beams 2 length_penalty 2.0", "beams 5 length_penalty -1.0"):
            yield use(f"beam_decode {of} {options}", "%first", types)
    # As many beams as there are sequences: the best of all.
    of = "with %table function @bigram vocabulary 4 end 2 max_length 2 type f32"
    yield use(f"beam_decode {of} beams 13", "%first", "tensor<?xi64>, tensor<4x4xf32>", first=lambda n: [1, 0, 3][:n])
    yield use(f"greedy_decode {of}", "%first", "tensor<?xi64>, tensor<4x4xf32>", first=lambda n: [1, 0, 3][:n])
    of = "state %count, %vector function @counting vocabulary 3 end 1 max_length 4 type f32"
    types = "tensor<?xi32>, tensor<?xf32>, tensor<?x3xf32>"
    yield use(f"greedy_decode {of}", "%first", types)
    yield use(f"beam_decode {of} beams 3", "%first", types)


def equations():
    # The first pivot is 0, and no row stays where it is.
    yield use("inverse", "%matrix", "tensor<3x3xf32>", matrix=[0.0, 2.0, 1.0, 1.0, 0.0, 0.5, 4.0, 1.0, 0.0])
    yield use("inverse", "%matrix", "tensor<1x1xf32>", matrix=[-4.0])
    yield use("inverse", "%matrix", "tensor<5x5xf32>")
    yield use("solve", "%matrix, %b", "tensor<4x4xf32>, tensor<4xf32>")
    yield use("close_to tolerance 0.5", "%a, %b", "tensor<2xf32>", a=[1.0, 2.0], b=[0.0, 1.0])
    yield use("close_to tolerance 0.5", "%a, %b", "tensor<2xf32>", a=[1.0, 2.5], b=[0.0, 1.0])
    yield use("close_to", "%a, %b", "tensor<2xf32>", a=[NAN, 1.0], b=[0.0, 1.0])
    yield use("newton with %load function @balance bound 9", "%x", "tensor<2xf32>, tensor<2xf32>", x=[2.0, -1.0])
    yield use("fixed_point with %rate function @ease implicit iteration", "%x", "tensor<2xf32>, tensor<f32>", rate=[0.9])
    types = "tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f32>"
    for method in ("rk4", "dopri5"):
        yield use(f"{method} with %rate function @swing steps 1", "%y, %t0, %t1", types)
        yield use(f"{method} with %rate function @swing steps 6 checkpoint every 2", "%y, %t0, %t1", types, t0=[2.0], t1=[-1.0])
    yield use("dopri5_adaptive with %rate function @swing first 1.0 relative 1.0e-7", "%y, %t0, %t1", types, t0=[2.0], t1=[-9.0], rate=[3.0])
    yield use("dopri5_adaptive with %rate function @swing", "%y, %t0, %t1", types, t0=[2.0], t1=[2.0])
    yield use("dopri5_step with %rate function @swing", "%y, %t, %h", types, h=[-0.5])
    yield use("add_scaled factor -2.0", "%y, %x", "tensor<?x4xf32>, tensor<f32>")


ENDS = [case for group in (at_the_ends, losses) for case in group()]
OTHERS = [case for group in (ragged, shapes, nothing, norms, attention, training, recurrent, alignments, decoding,
                               equations) for case in group()]
