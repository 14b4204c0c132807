"""What totals of check-results must be, from the rules of the puzzles.

add_up(puzzle, P, T) returns those that follow from the parameters P and other totals T. The others count small puzzles
again by brute force, for check-results --recompute. count(puzzle, P) returns the totals that it counts, by name, and
sums of the tallies by (kind of cell, layer) and name; or two empty results where the question is another, or too
large. Of all pairs there are columns by (table, name) in place of the sums."""
import math
import re
from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from itertools import permutations, product

LIMIT = 300_000  # positions
UP = '_up_to_colours'


def count(puzzle, P):
    return {'peg': peg, 'mousetrap': mousetrap, 'babylone': babylone, 'baseball': baseball, 'tiles': tiles}.get(
        puzzle, lambda P: ({}, {}))(P)


def number(text, most=64):
    """The number of cards, bases, bricks, rows, columns or colours."""
    if not text.isascii() or not text.isdigit() or not 0 < int(text[:9]) <= most:
        raise ValueError(f'{text[:40]!r} is no number from 1 to {most}')
    return int(text)


def spread(family, by): return {f'{family}/{k}': v for k, v in by.items() if v}


def distances(by):
    """Totals of configurations by their distance from the goal."""
    n = sum(by.values())
    return {'configurations': n, 'worst': max(by), 'mean': Fraction(sum(k * v for k, v in by.items()), n),
            **spread('distances', by)}


def histogram(raw, classes):
    """Totals of tile grids and their classes, by the number of final grids."""
    most, n, no = max(raw), sum(raw.values()), raw.get(0, 0)
    return {'raw': n, 'classes': sum(classes.values()), 'max_finals': most, 'max_finals_classes': classes.get(most, 0),
            'unsolvable_raw': no, 'unsolvable_classes': classes.get(0, 0),
            'unsolvable_share': f'{no // n}.{no * 10**4 // n % 10**4:04}',
            **spread('histogram_raw', raw), **spread('histogram_classes', classes)}


def listed(T, family):
    """The totals of a family, such as hits/0, hits/1, by their numbers."""
    some = {int(n[len(family) + 1:]): v for n, v in T.items() if re.fullmatch(family + '/[0-9]{1,9}', n)}
    for v in some.values():
        if not re.fullmatch('0|[1-9][0-9]{0,60}', v): raise ValueError(f'{v[:40]!r} is no number')
    return {k: int(v) for k, v in some.items()}


def add_up(puzzle, P, T):
    """Totals that follow from the parameters and other totals."""
    out = {n: v for n, v in P.items() if (puzzle, n) not in (('peg', 'board'), ('tiles', 'rows'))}
    if puzzle == 'mousetrap' and (hits := listed(T, 'hits')):
        n = number(P['cards'])
        out |= {'hits/0': math.factorial(n) - sum(v for k, v in hits.items() if k), 'winning': hits.get(n)}
    elif puzzle == 'mousetrap' and 'forever' in T:
        out['winning'] = sum(listed(T, 'reformed').values()) + int(T['forever'])
    elif puzzle == 'babylone':
        out |= {'positions' + s: sum(listed(T, 'levels' + s).values()) for s in ('', UP, '_inside')}
        out |= {f'bricks/{i}': b for i, b in enumerate(P['bricks'].split(','))}
    elif puzzle == 'baseball' and (by := listed(T, 'distances')):
        c = full = 1
        for n in range(2, number(P['bases']) + 1):
            c, full = n * full + n * (n - 1) * c, n * full + n * (n - 1) // 2 * c
        out |= distances(by) | {'distances/0': c - sum(v for k, v in by.items() if k)}
    elif puzzle == 'tiles' and (by := listed(T, 'histogram_raw')):
        out |= histogram(by, listed(T, 'histogram_classes'))
    elif by := listed(T, 'solutions_by_sweeps'):
        out |= {'solutions': sum(by.values()), 'least_sweeps': min(by), 'least_sweeps_solutions': by[min(by)]}
    return out


class Board:
    """A board of peg solitaire. A position is a number: bit i is hole i, in rows from the top left."""
    def __init__(self, P):
        square = {'square': True, 'triangular': False}[P['lattice']]
        holes = [(r, x) for r, row in enumerate(P['board'].split('/')) for x, c in enumerate(row) if c == 'o']
        self.size, self.holes, bit = len(holes), holes, {h: 1 << i for i, h in enumerate(holes)}
        ways = [(s * r, s * x) for r, x in ([(0, 1), (1, 0)] if square else [(0, 2), (1, 1), (1, -1)]) for s in (1, -1)]
        self.jumps = [(bit[h] | bit[o], bit[t]) for h in holes for r, x in ways
                      if (o := (h[0] + r, h[1] + x)) in bit and (t := (h[0] + 2 * r, h[1] + 2 * x)) in bit]
        # Symmetries permute and negate coordinates; the triangular lattice has three, which sum to 0.
        points = holes if square else [(2 * r, x - r, -r - x) for r, x in holes]
        def settle(points): return [tuple(c - min(k) for c, k in zip(v, zip(*points))) for v in points]
        self.turns, here = [], {v: i for i, v in enumerate(settle(points))}
        for signs in product((1, -1), repeat=2) if square else ((1, 1, 1), (-1, -1, -1)):
            for order in permutations(range(len(signs))):
                image = settle([tuple(s * v[i] for s, i in zip(signs, order)) for v in points])
                if set(image) == here.keys(): self.turns.append(self.turn([here[v] for v in image]))

    def turn(self, to):
        """The map of positions that takes hole i to hole to[i], by tables of 11 holes each."""
        tables = [[0] for _ in range(0, len(to), 11)]
        for i, j in enumerate(to): tables[i // 11] += [p | 1 << j for p in tables[i // 11]]
        return lambda p: sum(t[p >> 11 * k & 2047] for k, t in enumerate(tables))

    def after(self, p): return [p ^ f ^ t for f, t in self.jumps if p & f == f and not p & t]

    def position(self, text):
        pegs = text.replace('-', '').replace('/', '')
        if len(pegs) != self.size or set(pegs) - set('o.'): raise ValueError(f'{text[:80]!r} is no position')
        return sum(1 << i for i, c in enumerate(pegs) if c == 'o')

    def problem(self, P):
        """The start, the goals, and the symmetries that fix the start, and both; no goals where they are not listed."""
        start, goal = self.position(P['start']), P.get('goal', '')
        goals = {1 << i for i in range(self.size)} if goal == 'any' else {self.position(goal)} if one(goal) else set()
        turns = [g for g in self.turns if g(start) == start]
        return start, goals, turns, [g for g in turns if {g(p) for p in goals} == goals]


def one(goal):
    """Whether a goal is one position."""
    return '/' in goal and '?' not in goal


def plain(P):
    """Whether the lattice is one without a rule of its own, and the question about one start."""
    return P['lattice'] in ('square', 'triangular') and not P.keys() & {'pairs', 'reserve'}


def pairs(P):
    """All pairs of a vacancy and a last peg that the rule of three allows, a row for each class of them."""
    b, ways, square = Board(P), {}, P['lattice'] == 'square'
    at = {1 << i: h for i, h in enumerate(b.holes)}
    if b.size > 20 or P['count'] != 'solutions': return {}, {}
    def differ(p):  # whether three colours along a diagonal have pegs of the same parity; a jump changes all three
        for of in (lambda r, x: r + x, lambda r, x: r - x) if square else (lambda r, x: (x - 3 * r) // 2,):
            n = [sum(of(*h) % 3 == k for x, h in at.items() if p & x) & 1 for k in range(3)]
            yield n[0] ^ n[1], n[0] ^ n[2]
    some = [(s, g) for s in at for g in at if [*differ(sum(at) ^ s)] == [*differ(g)]]
    table = Counter(min((t(s), t(g)) for t in b.turns) for s, g in some)
    for s in {s for s, _ in table}:
        layer = {sum(at) ^ s: 1}
        while layer:
            ways, following = ways | {(s, p): n for p, n in layer.items() if p in at}, Counter()
            for p, n in layer.items(): following.update({q: n for q in b.after(p)})
            layer = following
    return {'compatible_pairs': len(some), 'pair_classes': len(table), 'pair_classes_with_reversal': len(
        {min(tuple(map(t, p)) for t in b.turns for p in ((s, g), (g, s))) for s, g in some})}, {
            ('pairs', n): [by.get(k, 0) for k in sorted(table)] for n, by in (('pairs', table), ('solutions', ways))}


def peg(P):
    if P.get('pairs') == 'all' and plain({n: P[n] for n in P if n != 'pairs'}): return pairs(P)
    if P['count'] not in ('games', 'solutions', 'positions', 'sweeps') or not plain(P): return {}, {}
    b, layers, sums, seen, later, win = Board(P), [], {}, 0, set(), []
    start, goals, turns, both = b.problem(P)
    layer = {start: 1}
    while layer and (seen := seen + len(layer)) <= LIMIT:
        following, dead, ended = defaultdict(int), 0, 0
        for p, n in layer.items():
            if not (q := b.after(p)): dead, ended = dead + 1, ended + n
            for x in q: following[x] += n
        classes = sum(all(p <= g(p) for g in turns) for p in layer)
        sums['', len(layers)] = {'positions': len(layer), 'classes': classes, 'symmetries': classes * len(turns),
                                 'paths': sum(layer.values()), 'dead_positions': dead, 'games_ended': ended}
        layers, layer = layers + [layer], following
    whole = {n: sum(s[n] for s in sums.values()) for n in ('games_ended', 'positions', 'classes')}
    whole['games'] = whole.pop('games_ended')
    for l in reversed(layers if goals and not layer else []):
        later = {p for p in l if p in goals or not later.isdisjoint(b.after(p))}
        win += later
    if goals: whole |= {
        'solutions': sum(l.get(p, 0) for l in layers[1:] for p in goals), 'winnable_positions': len(win),
        'winnable_classes_start_goal': sum(all(p <= g(p) for g in both) for p in win)}
    return ({} if layer else whole), sums if P['count'] in ('games', 'positions') and 'only' not in P else {}


def mousetrap(P):
    n, modular = number(P['cards'], 64), P['variant'] == 'modular'
    if n > 9: return {}, {}
    def play(left):
        order = ()
        while left:
            for i in range(math.lcm(n, len(left)) if modular else n):
                if left[i % len(left)] == i % n + 1: break
            else: break
            k = i % len(left)
            order, left = order + left[k:k + 1], left[k + 1:] + left[:k]
        return order
    orders = {d: play(d) for d in permutations(range(1, n + 1))}
    hits, times = Counter(map(len, orders.values())), Counter()
    for d in (d for d, o in orders.items() if len(o) == n):
        chain = [d]
        while len(orders[(o := orders[chain[-1]])]) == n and o not in chain: chain.append(o)
        times['forever' if o in chain else len(chain)] += 1
    return {'winning': hits[n], 'forever': times.pop('forever', 0), **{f'hits/{k}': hits[k] for k in range(n + 1)},
            **spread('reformed', times)}, {}


def search(start, follow):
    """Positions by the least number of moves to them, and the positions after each."""
    after, layer, layers = {}, [start], []
    while layer and len(after) <= LIMIT // 10:
        after |= {p: follow(p) for p in layer}
        layers, layer = layers + [layer], list({q for p in layer for q in after[p] if q not in after})
    return (None, None) if layer else (layers, after)


def babylone(P):
    bricks, out, sums = [number(b, 64) for b in P['bricks'].split(',')], {}, defaultdict(dict)
    names = list(permutations(range(len(bricks)))) if len(bricks) < 6 else []
    def canonical(p): return min(tuple(sorted((m[c], h, w) for c, h, w in p)) for m in names)
    def follow(p):  # a pile is its top colour, its height, and its colours from the top where they are told apart
        pairs = [(i, j, p[i], p[j]) for i, j in permutations(range(len(p)), 2)]
        return {tuple(sorted([x for k, x in enumerate(p) if k not in (i, j)] + [(a[0], a[1] + b[1], a[2] + b[2])]))
                for i, j, a, b in pairs if a[0] == b[0] or a[1] == b[1]}
    for inside in (False, True):
        start = tuple((c, 1, (c,) if inside else ()) for c, b in enumerate(bricks) for _ in range(b))
        layers, after = search(start, follow) if names and (not inside or sum(bricks) < 7) else (None, None)
        if not layers: return out, sums
        nimber = {}
        for p in (p for l in reversed(layers) for p in l):
            nimber[p] = next(k for k in range(len(after) + 1) if k not in {nimber[q] for q in after[p]})
        for level, l in enumerate(layers):
            for s, some in (('_inside', l),) if inside else (('', l), (UP, {canonical(p): p for p in l}.values())):
                def after_in(p): return {canonical(q) for q in after[p]} if s == UP else after[p]
                at = {'positions' + s: len(some), 'terminal' + s: sum(not after[p] for p in some),
                      'won' + s: sum(nimber[p] > 0 for p in some), 'edges' + s: sum(len(after_in(p)) for p in some),
                      **{f'nimber.{k}{s}': v for k, v in Counter(nimber[p] for p in some).items()}}
                for n, v in at.items(): out[n] = out.get(n, 0) + v
                out[f'levels{s}/{level}'] = len(some)
                if not inside: sums['positions', len(layers) - 1 - level] |= at
        if not inside: out |= {'nimber': nimber[start], 'winner': 1 if nimber[start] else 2}
    return out, sums


def baseball(P):
    n = number(P['bases'])
    goal = ((0,), *((b, b) for b in range(1, n)))
    def free(c): return next(b for b in range(n) if len(c[b]) == 1)
    def move(c, b, t):  # token t from base b to the free place
        f, left = free(c), [*c[b]]
        left.remove(t)
        return tuple(tuple(left) if i == b else tuple(sorted(c[f] + (t,))) if i == f else c[i] for i in range(n))
    def follow(c):
        f = free(c)
        beside = {(f - 1) % n, (f + 1) % n} if P['board'] == 'ring' else {f - 1, f + 1} & {*range(n)}
        return {move(c, b, t) for b in beside for t in c[b]}
    def push(c):
        way, moves = 1, 0
        while c != goal:
            if not 0 <= free(c) + way < n: way = -way
            b = free(c) + way
            c, moves = move(c, b, min(c[b]) if way > 0 else max(c[b])), moves + 1
        return moves
    @cache
    def one_base(c, choose):
        if c == goal: return 0
        f, d = free(c), max(b for b in range(n) if c[b] != goal[b])
        at = max(b for b in range(d) if d in c[b])  # the base of the token that is brought to base d
        if f == at + 1: return 1 + one_base(move(c, at, d), choose)
        b = f + 1 if f <= at else f - 1
        choices = [t for t in c[b] if t != d] or [d]  # of two tokens of colour d in one base, one may move
        return 1 + choose(one_base(move(c, b, t), choose) for t in choices)
    layers, _ = search(goal, follow)
    if not layers: return {}, {}
    out = distances({d: len(l) for d, l in enumerate(layers)})
    for name, cost in (('best_push', push), ('one_base_at_a_time_best', lambda c: one_base(c, min)),
                       ('one_base_at_a_time_worst', lambda c: one_base(c, max))):
        costs = [(cost(c), d) for d, l in enumerate(layers) for c in l]
        out |= {f'methods/{name}/worst': max(costs)[0], f'methods/{name}/optimal': sum(m == d for m, d in costs),
                f'methods/{name}/mean': Fraction(sum(m for m, _ in costs), len(costs))}
    return out, {('free', d): {'configurations': len(l)} for d, l in enumerate(layers)}


def tiles(P):
    rows, columns, colours = (number(P[n], 8) for n in ('rows', 'columns', 'colours'))
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    if len(cells) > 12 or colours > 5 and len(cells) > 9: return {}, {}
    def first(g): return tuple([*dict.fromkeys(g)].index(t) for t in g)  # colours in the order in which they appear
    grids = [()]
    for r, c in cells:
        grids = [g + (t,) for g in grids for t in range(min(max(g, default=-1) + 2, colours)) if not r * c or
                 len({t, g[-1], g[-columns], g[-columns - 1]}) == 4]
    images = [[cells.index((c, r) if turned else (r, c)) for r in ys for c in xs] for turned in {False, rows == columns}
              for ys in (range(rows), range(rows)[::-1]) for xs in (range(columns), range(columns)[::-1])]
    near = [[j for j, (y, x) in enumerate(cells) if abs(r - y) < 2 and abs(c - x) < 2] for r, c in cells]
    raw, classes, permutable = Counter(), {}, 0
    for g in grids:
        if (of := min(first([g[i] for i in image]) for image in images)) == g:
            states = {(g, 0)}  # the colours that show, and the cells with a tile, as bits
            for _ in cells:
                states = {(s[:i] + (t,) + s[i + 1:], done | 1 << i) for s, done in states for i in range(len(cells))
                          if not done >> i & 1 for t in set(range(colours)) - {s[j] for j in near[i]}}
            classes[g] = len(states)
            permutable += any(first(s) == g for s, _ in states)
        raw[classes[of]] += math.perm(colours, len(set(g)))
    best = max(classes, key=classes.get)
    return histogram(raw, Counter(classes.values())) | {
        'up_to_colours': len(grids), 'permutable_classes': permutable,
        'max_finals_grid': '/'.join(''.join(map(str, best[i:i + columns])) for i in range(0, len(cells), columns))}, {}
