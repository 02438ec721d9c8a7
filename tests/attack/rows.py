"""rows - the table of attacks: what each is, and what hamr promises of it.

    @attack("S22", "what it does")      a function of a World, in the worker
    @inside("S2", "what it does")       a function that is itself run by the
                                        bash of hamr-tool, as a model's command

Either gives something true, best a few words of evidence, when the attack came
through.  An inside attack that shows only afterwards has after=, a function of
the World; before= prepares it and may leave facts in w.facts, which are what
the function in the sandbox sees (w.pid for w.facts["pid"]).

What is promised is `held` in every layer, but for
    said={LAYER: "words"}   it comes through, and stderr has these words
    open={LAYER: "why"}     it is not promised, for this reason
and inside attacks without any layer: those are `said`, unless everywhere= says
that the filter of system calls, or a refusal, holds them there, too.  LAYER
may be followed by a user: "landlock root".  Attacks of every layer are run by
an ordinary user, the others by root as well, but for users=.

control= shows that the attack bites where hamr does not stand in its way;
without one it is the attack itself with sandbox.mode=off (w.control is true).
"""
import layers

ROWS = []
FAMILIES = []
UNSANDBOXED = "without a sandbox"


class Row:
    def __init__(self, family, kind, threats, what, function, *,
            layers=layers.ALL, users=None, mode="patch",
            before=None, after=None, control=None, said=None, open=None,
            everywhere=False):
        self.family, self.kind, self.threats = family, kind, threats
        self.what, self.function, self.name = what, function, \
            family + "." + function.__name__
        self.layers, self.mode = layers, mode
        self.users = users or (("user",) if layers == ("any",) else
            ("user", "root"))
        self.before, self.after, self.control = before, after, control
        self.said, self.open = dict(said or {}), dict(open or {})
        if kind == "inside" and not everywhere:
            self.said.setdefault("none", UNSANDBOXED)

    def promise(self, layer, user):
        """held, said or not promised; and the words, or the reason."""
        for key in (f"{layer} {user}", layer):
            if key in self.said:
                return "said", self.said[key]
            if key in self.open:
                return "not promised", self.open[key]
        return "held", ""


def family(name, title):
    """Begins a file: the rows that follow are of this family."""
    FAMILIES.append((name, title))


def _add(kind, threats, what, **options):
    name = FAMILIES[-1][0]

    def add(function):
        ROWS.append(Row(name, kind, threats, what, function, **options))
        return function
    return add


def attack(threats, what, **options):
    return _add("attack", threats, what, **options)


def inside(threats, what, **options):
    return _add("inside", threats, what, **options)


def load(names):
    for name in names:
        __import__(name)
