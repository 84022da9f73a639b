"""The derivatives of GradBench's programs in JAX, of the arguments that the graphs take, with results in their order."""
import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


def gmm(alphas, means, q, l, x, gamma, m):
    (k, d), n = means.shape, x.shape[0]
    columns, rows = np.triu_indices(d, 1)  # below the diagonal, column by column

    def posterior(alphas, means, q, l):
        lower = jnp.zeros((k, d, d)).at[:, rows, columns].set(l)
        off = x[None] - means[:, None]
        scaled = jnp.exp(q)[:, None] * off + jnp.einsum("kij,knj->kni", lower, off)
        terms = (alphas + q.sum(1))[:, None] - 0.5 * (scaled * scaled).sum(2)
        fit = jax.nn.logsumexp(terms, axis=0).sum() - n * (jax.nn.logsumexp(alphas) + d / 2 * math.log(2 * math.pi))
        freedom = d + m + 1
        constant = freedom * d * (jnp.log(gamma) - 0.5 * math.log(2)) - jax.scipy.special.multigammaln(0.5 * freedom, d)
        prior = 0.5 * gamma * gamma * ((jnp.exp(q)**2).sum() + (l * l).sum()) - m * q.sum()
        return fit - prior + k * constant

    value, slopes = jax.value_and_grad(posterior, (0, 1, 2, 3))(alphas, means, q, l)
    return value, *slopes


def ba(cameras, points, w, camera, point, sightings):
    def rotated(r, x):
        square = r @ r
        safe = jnp.where(square != 0, square, 1.0)
        angle = jnp.sqrt(safe)
        axis = r / angle
        turned = x * jnp.cos(angle) + jnp.cross(axis, x) * jnp.sin(angle) + axis * ((axis @ x) * (1 - jnp.cos(angle)))
        return jnp.where(square != 0, turned, x + jnp.cross(r, x))

    def error(c, x, w, sighting):
        p = rotated(c[:3], x - c[3:6])
        a = p[:2] / p[2]
        s = a @ a
        return w * (a * (1 + c[9] * s + c[10] * s * s) * c[6] + c[7:9] - sighting)

    def block(c, x, w, sighting):
        by_c, by_x, by_w = jax.jacrev(error, (0, 1, 2))(c, x, w, sighting)
        return jnp.concatenate([by_c, by_x, by_w[:, None]], 1)

    return jax.vmap(block)(cameras[camera], points[point], w, sightings), jax.vmap(jax.grad(lambda w: 1 - w * w))(w)


def lstm(weights, biases, in_weight, out_weight, out_bias, hidden, cell, now, following):
    def loss(weights, biases, in_weight, out_weight, out_bias):
        def step(carry, characters):
            hidden, cell = carry
            character, gold = characters
            x, hs, cs = character * in_weight, [], []
            for i in range(weights.shape[0]):
                w, b = weights[i], biases[i]
                forget, put = jax.nn.sigmoid(x * w[0] + b[0]), jax.nn.sigmoid(hidden[i] * w[1] + b[1])
                out, change = jax.nn.sigmoid(x * w[2] + b[2]), jnp.tanh(hidden[i] * w[3] + b[3])
                cs.append(cell[i] * forget + put * change)
                x = out * jnp.tanh(cs[-1])
                hs.append(x)
            y = x * out_weight + out_bias
            return (jnp.stack(hs), jnp.stack(cs)), (gold * (y - jnp.log(jnp.exp(y).sum() + 2))).sum()

        return -jax.lax.scan(step, (hidden, cell), (now, following))[1].sum() / now.size

    value, slopes = jax.value_and_grad(loss, (0, 1, 2, 3, 4))(weights, biases, in_weight, out_weight, out_bias)
    return value, *slopes


PLACES = np.full((22, 3), 26)  # beside the parameters there is a 0
for finger in range(5):
    PLACES[4 * finger + 2, :2] = 4 * finger + 6, 4 * finger + 7
    PLACES[4 * finger + 3, 0], PLACES[4 * finger + 4, 0] = 4 * finger + 8, 4 * finger + 9


def turns_of(angles):
    (cx, cz, cy), (sx, sz, sy) = jnp.cos(angles).T, jnp.sin(angles).T
    o, i = jnp.zeros_like(cx), jnp.ones_like(cx)

    def matrices(*entries):
        return jnp.stack(entries, 1).reshape(-1, 3, 3)

    turns = matrices(cz, -sz, o, sz, cz, o, o, o, i) @ matrices(cy, o, sy, o, i, o, -sy, o, cy) @ matrices(i, o, o, o, cx, -sx, o, sx, cx)
    return jnp.pad(turns, ((0, 0), (0, 1), (0, 1))).at[:, 3, 3].set(1)


def rotation(a):
    square = a @ a
    angle = jnp.sqrt(jnp.where(square >= 1e-8, square, 1.0))
    u = a / angle
    cross = jnp.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    turned = jnp.cos(angle) * jnp.eye(3) + jnp.sin(angle) * cross + (1 - jnp.cos(angle)) * jnp.outer(u, u)
    return jnp.where(square >= 1e-8, turned, jnp.eye(3))


def ht(theta, us, relative, inverse, places, weights, corners, points):
    def errors(theta, us):
        own = relative @ turns_of(jnp.append(theta, 0.0)[PLACES])
        rows, wrist = own[1:21].reshape(5, 4, 4, 4), own[0]
        chain = [wrist @ rows[:, 0]]
        for i in range(1, 4):
            chain.append(chain[-1] @ rows[:, i])
        bones = jnp.concatenate([wrist[None], jnp.stack(chain, 1).reshape(20, 4, 4), (wrist @ own[21])[None]])
        moves = (bones @ inverse)[:, :3]
        skin = jnp.einsum("vb,vbi->vi", weights, jnp.einsum("vj,bij->vbi", places, moves))
        vertices = skin @ rotation(theta[:3]).T + theta[3:6]
        shares = jnp.concatenate([us, 1 - us.sum(1, keepdims=True)], 1)
        return points - jnp.einsum("cj,cji->ci", shares, vertices[corners])

    by_theta = jax.vmap(lambda t: jax.jvp(lambda v: errors(v, us), (theta,), (t,))[1])(jnp.eye(26))
    by_us = jax.vmap(lambda t: jax.jvp(lambda v: errors(theta, v), (us,), (jnp.broadcast_to(t, us.shape),))[1])(jnp.eye(2))
    return (jnp.concatenate([by_us, by_theta]),)


def kmeans(centroids, points):
    """With |p - c|^2 multiplied out, as GradBench's own program for JAX has it."""
    def cost(c):
        return ((points * points).sum(1)[:, None] + (c * c).sum(1) - 2 * points @ c.T).min(1).sum()

    slope, diagonal = jax.jvp(jax.grad(cost), (centroids,), (jnp.ones_like(centroids),))
    return (slope / diagonal,)


def kmeans_direct(centroids, points):
    def cost(c):
        return ((points[:, None] - c)**2).sum(2).min(1).sum()

    slope, diagonal = jax.jvp(jax.grad(cost), (centroids,), (jnp.ones_like(centroids),))
    return (slope / diagonal,)


def llsq(x, t):
    def residue(x):
        powers = jnp.cumprod(jnp.broadcast_to(t[:, None], (t.size, x.size)).at[:, 0].set(1), axis=1)
        return ((jnp.sign(t) - powers @ x)**2).sum() / 2

    return (jax.grad(residue)(x),)


def det(a):
    def minors(a):
        """The determinants of a batch of matrices."""
        n = a.shape[-1]
        if n == 1:
            return a[..., 0, 0]
        others = np.array([[i for i in range(n) if i != j] for j in range(n)])
        signs = np.array([(-1.0)**j for j in range(n)])
        return (a[..., 0, :] * signs * minors(jnp.moveaxis(a[..., 1:, :][..., others], -2, -3))).sum(-1)

    return (jax.grad(minors)(a),)


def ode(x, lengths):
    def at_end(x):
        def flow(y):
            return x * jnp.concatenate([jnp.ones(1), y[:-1]])

        def step(y, h):
            k1 = flow(y)
            k2 = flow(y + h / 2 * k1)
            k3 = flow(y + h / 2 * k2)
            k4 = flow(y + h * k3)
            return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

        return jax.lax.scan(step, jnp.zeros_like(x), lengths)[0][-1]

    return (jax.grad(at_end)(x),)


def call_of(program, arrays):
    """A call of the program, compiled, that waits for its results."""
    compiled = jax.jit(program)
    placed = [jax.device_put(array) for array in arrays]
    return functools.partial(lambda: jax.block_until_ready(compiled(*placed)))
