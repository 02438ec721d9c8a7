"""table - what came of the attacks, against what is promised.

A cell is held, said, not promised or BROKEN.  An attack that holds where it
was not promised is shown as held: kernels differ, promises do not.
"""
import os

import layers
import rows

HEADING = "## The attacks\n"
STRENGTH = ("held", "said", "not promised", "BROKEN")


def verdict(row, result):
    """The word for one result, and why if it is BROKEN."""
    got, said = result["got"], result["said"]
    word, why = row.promise(result["layer"], result["user"])
    if got == "skip":
        return "skipped", said
    if got == "broken off":
        return "BROKEN", "the attack itself failed: " + said
    if not got:
        return "held", ""
    if word == "held":
        return "BROKEN", got
    if word == "said" and why not in said:
        return "BROKEN", f"came through ({got}), and not said: {why}"
    return word, got


def judge(chosen, results):
    return Outcome(chosen, results)


class Outcome:
    def __init__(self, chosen, results):
        self.rows = chosen
        self.cells, self.controls, self.seconds = {}, {}, {}
        by_name = {row.name: row for row in chosen}
        for r in results:
            row = by_name[r["row"]]
            key = (row.name, r["layer"], r["user"])
            self.seconds[key] = r["s"]
            if r["control"]:
                self.controls[row.name] = r["got"], r["said"]
            else:
                self.cells[key] = verdict(row, r)
        for row in chosen:
            for layer, user in layers.contexts():
                if layer in row.layers and user in row.users:
                    self.cells.setdefault((row.name, layer, user),
                        ("BROKEN", "it came to no end"))

    def cell(self, row, layer):
        """One word, or one for each user where they differ."""
        words = {user: self.cells[row.name, layer, user][0]
            for user in ("user", "root")
            if (row.name, layer, user) in self.cells}
        kinds = set(words.values()) - {"skipped"} or set(words.values())
        if len(kinds) == 1:
            return kinds.pop()
        return ", ".join(f"{user}: {word}" for user, word in words.items())

    def bites(self, row):
        got, said = self.controls.get(row.name, ("broken off", "not run"))
        if got == "skip":
            return None, said
        return bool(got) and got != "broken off", got if got != "broken off" \
            else said

    # ---- what people read

    def promised(self, row, layer):
        words = {user: row.promise(layer, user)[0] for user in row.users}
        if len(set(words.values())) == 1:
            return next(iter(words.values()))
        return ", ".join(f"{u}: {words[u]}" for u in ("user", "root")
            if u in words)

    def markdown(self, cell):
        """The table, by cell(row, layer); families in their order."""
        lines = []
        for name, title in rows.FAMILIES:
            family = [r for r in self.rows if r.family == name]
            layered = [r for r in family if r.layers != layers.ANY]
            plain = [r for r in family if r.layers == layers.ANY]
            if not family:
                continue
            lines += [f"### {title}", ""]
            if layered:
                lines += ["| attack | bubblewrap | Landlock alone | neither |",
                    "|---|---|---|---|"]
                lines += ["| " + " | ".join([r.what] + [cell(r, x)
                    if x in r.layers else "-" for x in layers.ALL]) + " |"
                    for r in layered] + [""]
            if plain:
                lines += ["| attack | in every layer |", "|---|---|"]
                lines += [f"| {r.what} | {cell(r, 'any')} |" for r in plain]
                lines += [""]
            why = {}
            for r in family:
                for key, text in r.open.items():
                    why.setdefault(text, []).append(r.what)
            lines += [f"- {'; '.join(dict.fromkeys(w))}: {text}"
                for text, w in why.items()] + ([""] if why else [])
        return "\n".join(lines)

    def compare(self, path):
        """Lines of the promises that the file lacks, or has and should not."""
        with open(path, encoding="utf8") as f:
            told = [x.strip() for x in f if x.startswith(("| ", "- ", "###"))]
        real = [x for x in self.markdown(self.promised).splitlines() if x]
        missing = [x for x in real if x not in told and
            not x.startswith("|---")]
        extra = [x for x in told if x.startswith("| ") and x not in real]
        return [f"missing: {x}" for x in missing] + \
            [f"stale: {x}" for x in extra]

    # ---- what came of it

    def troubles(self):
        for (name, layer, user), (word, why) in sorted(self.cells.items()):
            if word == "BROKEN":
                yield f"BROKEN {name} ({layer}, {user}): {why}"
        for row in self.rows:
            bites, why = self.bites(row)
            if bites is False:
                yield f"NO CONTROL {row.name}: it does not bite: {why}"

    def write(self, path):
        """Puts the table of promises into a file, behind its last heading."""
        with open(path, encoding="utf8") as f:
            text = f.read()
        head = text[:text.index(HEADING) + len(HEADING)]
        with open(path, "w", encoding="utf8") as f:
            f.write(head + "\n" + self.markdown(self.promised).rstrip() + "\n")

    def show(self, doc, verbose):
        print(self.markdown(self.cell))
        troubles = list(self.troubles())
        skipped = [f"SKIPPED {k}: {why}" for k, (word, why)
            in sorted(self.cells.items()) if word == "skipped"]
        skipped += [f"SKIPPED control {r.name}: {self.bites(r)[1]}"
            for r in self.rows if self.bites(r)[0] is None]
        for line in skipped + troubles + (self.compare(doc) if doc else []):
            print(line[:1500])
        if verbose:
            for key, s in sorted(self.seconds.items(), key=lambda x: -x[1]):
                print(s, *key, self.cells.get(key, ["control"])[0], sep="\t")
        words = [word for word, _ in self.cells.values()]
        print(", ".join(f"{words.count(w)} {w}" for w in STRENGTH) +
            f", {len(skipped)} skipped")
        return 1 if troubles else 0

    def tap(self, doc, controls):
        n = bad = 0
        for row in self.rows:
            lines = []
            for user in ("user", "root"):
                cells = {layer: self.cells[row.name, layer, user]
                    for layer in layers.ALL + layers.ANY
                    if (row.name, layer, user) in self.cells}
                if not cells:
                    continue
                words = ", ".join(f"{k} {w}" for k, (w, _) in cells.items())
                broken = [f"{k}: {w}" for k, (v, w) in cells.items()
                    if v == "BROKEN"]
                skips = [w for v, w in cells.values() if v == "skipped"]
                lines.append((not broken, f"{row.threats} {row.what} ({user}: "
                    f"{words})", broken, skips))
            if controls:
                bites, why = self.bites(row)
                lines.append((bites is not False, f"it bites where nothing "
                    f"holds it ({row.name})", [why],
                    [why] if bites is None else []))
            for good, text, why, skips in lines:
                n += 1
                bad += not good
                print(f"{'ok' if good else 'not ok'} {n} - {text}" +
                    (f" # SKIP {skips[0].splitlines()[0][:150]}"
                    if good and skips else ""))
                for line in [] if good else why:
                    print("#   " + str(line).replace("\n", "\n#   ")[:800])
        stale = self.compare(doc) if doc else []
        print(f"{'not ok' if stale else 'ok'} {n + 1} - the table in "
            f"{os.path.basename(doc or 'doc')} is that of the attacks")
        for line in stale[:20]:
            print("#   " + line)
        print(f"1..{n + 1}")
        return 1 if bad or stale else 0
