"""A plan as one file of plain JMS."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from jms_clients.calls import FOREIGN
from jmsapi.constants import SessionMode
from touchstone.reproducing.difference import (
    ComesBack,
    ComesTooSoon,
    Gives,
    GivesAnother,
    GivesAsBefore,
    Hangs,
    Passes,
    Returns,
    Throws,
    gives_value,
)
from touchstone.reproducing.java_helpers import ENDED_EARLY, helpers
from touchstone.reproducing.java_values import (
    JavaValues,
    comment_text,
    java_label,
    literal,
    relay_port,
)
from touchstone.reproducing.plan import ProgramPlan, Variable, compared_moments
from touchstone.reproducing.recording import (
    Call,
    Callback,
    CallRecording,
    NotExpressible,
    Value,
    object_of,
)
from touchstone.reproducing.relay_java import fault_line
from touchstone.reproducing.relays import Fault
from touchstone.reproducing.turns import END

NAME: Final = "Reproducer"
_PART: Final = 500
"""Lines of a method of a long program."""
_THROWN: Final = "thrown by the listener"
_ARGUMENTS: Final = {
    "HOST": "host of the broker",
    "PORT": "its port",
    "WEB_PORT": "port of its administration by HTTP",
}
"""What the program is told of the broker's place, in this order; the last only if it is needed."""


_MODES: Final = {str(mode.value): mode.name for mode in SessionMode}
_LONGEST: Final = 160
"""Characters of an expression in the text of an issue."""
_TAKE_MODE: Final = frozenset(
    {"createSession", "createQueueSession", "createTopicSession", "createContext"}
)


class JavaProgram:
    """Writes one plan."""

    def __init__(self, plan: ProgramPlan, namespace: str, about: Sequence[str]) -> None:
        """`about` are the lines that say what the program shows."""
        self._plan = plan
        self._namespace = namespace
        self._about = about
        recording = plan.recording
        self._values = JavaValues(
            recording.place, self._name, lambda number: f"listener{number}", recording.relays
        )
        self._behind_relays = _behind_relays(recording)
        self._declared: set[int] = set()
        self._awaited: dict[tuple[int, str], tuple[int, int]] = {}
        self._listeners: set[int] = set()
        self.decides: list[str] = []
        """What the calls do that decide, in words."""
        self.arguments = ""
        """The names of the program's arguments."""
        self.text = self._file()

    def _file(self) -> str:
        steps = self._main()
        listeners = self._all_listeners()
        whole = "\n".join([*steps, *(line for lines in listeners for line in lines)])
        for number in self._plan.recording.relays:
            if relay_port(number) not in whole:
                raise NotExpressible("no call that it repeats goes through the relay")
        main, methods = self._divided(steps)
        arguments = [name for name in _ARGUMENTS if name != "WEB_PORT" or name in whole]
        self.arguments = " ".join(arguments)
        parts = [
            f"import {self._namespace}.*;",
            f"import {self._namespace}.Queue;",
            "import java.util.*;",
            "import java.util.concurrent.*;",
            *(["import java.io.*;", "import java.net.*;"] if self._plan.recording.relays else []),
            "",
            "/**",
            *(f" * {line}".rstrip() for line in self._about),
            " *",
            f" * Arguments: {', '.join(_ARGUMENTS[name] for name in arguments)}.",
            " * Ends with SEEN (status 0), NOT SEEN (status 1) or, without a broker, status 2.",
            " */",
            f"public class {NAME} {{",
            "    static String HOST;",
            *(f"    static int {name};" for name in arguments[1:]),
            *(f"    static Relay relay{number};" for number in self._plan.recording.relays),
            *self._fields(),
            "    public static void main(String[] arguments) throws Exception {",
            f"        if (arguments.length < {len(arguments)}) {{",
            f'            System.out.println("Arguments: {self.arguments}");',
            "            System.exit(2);",
            "        }",
            "        HOST = arguments[0];",
            *(
                f"        {name} = Integer.parseInt(arguments[{at}]);"
                for at, name in enumerate(arguments[1:], start=1)
            ),
            "        try {",
            "            new java.net.Socket(HOST, PORT).close();",
            "        } catch (java.io.IOException error) {",
            '            System.out.println("No broker answers at " + HOST + ":" + PORT);',
            "            System.exit(2);",
            "        }",
            "        try {",
            *(f"            {line}" if line else "" for line in main),
            "        } catch (Throwable error) {",
            f'            System.out.println("{ENDED_EARLY}" + error);',
            '            System.out.println("NOT SEEN");',
            "            System.exit(1);",
            "        }",
            '        System.out.println("SEEN");',
            "        System.exit(0);",
            "    }",
            *(f"    {line}".rstrip() for lines in (*methods, *listeners) for line in ("", *lines)),
        ]
        parts += [f"    {line}".rstrip() for line in helpers(whole)]
        return "\n".join([*parts, "}", ""])

    def _divided(self, steps: list[str]) -> tuple[list[str], list[list[str]]]:
        """What the main method does, and the methods that it calls for that if it is long."""
        if not self._plan.is_long:
            return steps, []
        parts = [steps[begin : begin + _PART] for begin in range(0, len(steps), _PART)]
        names = [f"part{number}" for number in range(1, len(parts) + 1)]
        return [f"{name}();" for name in names], [
            [f"static void {name}() throws Exception {{", *(f"    {line}" for line in part), "}"]
            for name, part in zip(names, parts, strict=True)
        ]

    # -- the main thread -------------------------------------------------------------------------

    def _main(self) -> list[str]:
        lines = [f"relay{number} = new Relay();" for number in self._plan.recording.relays]
        open_: dict[int, Call] = {}
        for step in self._plan.main:
            for moment, running in list(open_.items()):
                if self._plan.overlapped[moment] == step.moment:
                    lines += self._joined(running)
                    del open_[moment]
            if step.moment in self._plan.pauses:
                lines.append(f"Thread.sleep({round(self._plan.pauses[step.moment] * 1000)});")
            lines += self._waits(step.moment)
            if isinstance(step, Fault):
                lines.append(fault_line(step))
            elif step.moment in self._plan.overlapped:
                lines += self._begun(step)
                open_[step.moment] = step
            else:
                lines += self._in_turn(step)
        for running in open_.values():
            lines += self._joined(running)
        ends = [*self._awaits_turn(END), *self._waits(None), *self._silence()]
        return [*lines, *ends, *self._still_hangs()]

    def _in_turn(self, call: Call) -> list[str]:
        """A call, between the turns that it waits for and passes on."""
        said = self._plan.words.get(call.moment)
        turn = self._plan.turns.passes.get(call.moment)
        written = self._call(call)
        self._decides(call)
        return [
            *([] if said is None else [f"// {comment_text(said)}"]),
            *self._mark(call),
            *self._awaits_turn(call.moment),
            *written,
            *([] if turn is None else [f"passOn({turn});"]),
        ]

    def _mark(self, call: Call) -> list[str]:
        """That it shows here: at the last call that decides."""
        signs = self._plan.signs
        if call.moment != max(signs, default=None):
            return []
        compared = len(signs) > 1 and not self._plan.words
        return [f"// Here it shows{', with what was read before' if compared else ''}:"]

    def _decides(self, call: Call) -> None:
        """Note what the call does if it decides: of a drawn program that is the last one."""
        signs = self._plan.signs
        if call.moment not in signs or (self._plan.words and call.moment != max(signs)):
            return
        match signs[call.moment]:
            case Throws(kind):
                does = f"throws {_quoted(kind)}"
            case Passes(kinds):
                does = f"comes back; expected is {' or '.join(map(_quoted, kinds))}"
            case Gives(value) if object_of(value) is None:
                does = f"gives {_quoted(self._values.text(value))}"
            case Gives():
                does = "gives something"
            case GivesAnother(value):
                does = f"gives something else than {_quoted(self._values.text(value))}"
            case GivesAsBefore():
                does = "gives what it gave before"
            case ComesTooSoon(count):
                does = f"comes back before {count} calls of completion listeners have ended"
            case ComesBack():
                does = "comes back"
            case Returns():
                does = "comes back while nothing comes from the broker"
            case Hangs(seconds):
                does = f"does not come back for {seconds} s"
        self.decides.append(f"{_quoted(self._expression(call))} {does}")

    def _awaits_turn(self, moment: int) -> list[str]:
        turn = self._plan.turns.waits.get(moment)
        return [] if turn is None else [f"await({turn});"]

    def _silence(self) -> list[str]:
        """Nothing comes at the end, where that is the difference."""
        silent = self._plan.silent
        if not silent:
            return []
        count = sum(callback.listener in silent for callback in self._plan.recording.callbacks)
        heard = [f"{name}{number}" for number in silent for name, *_ in self._methods(number)]
        return [f"silent({', '.join([str(count), *heard])});"]

    def _waits(self, moment: int | None) -> list[str]:
        """For the calls of listeners that came before `moment`."""
        lines = []
        counts: dict[tuple[int, str], list[int]] = {}
        for callback in self._plan.recording.callbacks:
            if moment is None or callback.moment < moment:
                begun_ended = counts.setdefault((callback.listener, callback.method), [0, 0])
                begun_ended[0] += 1
                if callback.until is not None and (moment is None or callback.until < moment):
                    begun_ended[1] += 1
        for key, (begun, ended) in counts.items():
            known = self._awaited.get(key, (0, 0))
            name = f"{key[1]}{key[0]}"
            if ended > known[1]:
                lines.append(f"{name}.awaitEnded({ended});")
            if begun > known[0] and begun > ended:
                lines.append(f"{name}.awaitBegun({begun});")
            self._awaited[key] = begun, ended
        return lines

    def _begun(self, call: Call) -> list[str]:
        if isinstance(self._plan.signs.get(call.moment), Hangs):
            self._decides(call)
            return [f"beside(() -> {{ {' '.join(self._call(call))} return null; }});"]
        expression = self._expression(call)
        void = "" if gives_value(call) else " return null;"
        body = f"{expression}" if not void else f"{{ {expression};{void} }}"
        return [f"Future<?> {self._later(call)} = beside(() -> {body});"]

    def _later(self, call: Call) -> str:
        return f"later{list(self._plan.overlapped).index(call.moment) + 1}"

    def _joined(self, call: Call) -> list[str]:
        label = java_label(self._expression(call))
        later = self._later(call)
        sign = self._plan.signs.get(call.moment)
        if isinstance(sign, Hangs):
            return []
        self._decides(call)
        if isinstance(sign, Passes):
            kinds = ", ".join(literal(kind) for kind in sign.kinds)
            return [f"passes({label}, () -> result({later}), {kinds});"]
        if call.threw:
            return [self._throws(call, f"() -> result({later})")]
        number = object_of(call.got)
        if number is not None:
            variable = self._plan.variables[number]
            lines = self._assigned(variable, number, f"({variable.kind}) result({later})")
            return lines + self._told(call, label, variable.name)
        if isinstance(sign, Gives):
            return [f"gives({label}, () -> result({later}), {self._values.text(sign.value)});"]
        return [f"result({later});"]

    # -- one call --------------------------------------------------------------------------------

    def _call(self, call: Call) -> list[str]:
        expression = self._expression(call)
        label = java_label(expression)
        sign = self._plan.signs.get(call.moment)
        if isinstance(sign, Hangs):
            watch = [f"beside(() -> stillHangs({sign.seconds}));"] if self._is_alone(call) else []
            return [*watch, f"hangs({label}, () -> {expression});"]
        if isinstance(sign, Returns):
            return [f"returns({label}, () -> {expression});"]
        if isinstance(sign, ComesBack):
            return self._comes_back(call, expression, label)
        if isinstance(sign, ComesTooSoon):
            return [f"tooSoon({label}, () -> {expression}, {self._completions(sign.count)});"]
        if isinstance(sign, Passes):
            kinds = ", ".join(literal(kind) for kind in sign.kinds)
            return [f"passes({label}, () -> {expression}, {kinds});"]
        if call.threw:
            return [self._throws(call, f"() -> {expression}")]
        number = object_of(call.got)
        if number is not None and self._known(number):
            if call.on is None or number not in self._declared:
                variable = self._plan.variables[number]
                lines = self._assigned(variable, number, self._cast(call, variable, expression))
                return lines + self._told(call, label, variable.name)
            if call.method.startswith("receive") or call.moment in self._plan.signs:
                return self._told(call, label, expression)
            return [f"{expression};"]
        if isinstance(sign, Gives):
            shown = sign.value
            if call.filled is not None and "object" not in (call.given[0] or {}):
                expression, shown = self._filling(call), {"List": [sign.value, call.filled]}
            return [f"gives({label}, () -> {expression}, {self._values.text(shown)});"]
        if isinstance(sign, GivesAnother):
            return [f"givesAnother({label}, () -> {expression}, {self._values.text(sign.value)});"]
        if isinstance(sign, GivesAsBefore):
            return [f"gives({label}, () -> {expression}, KEPT.get({self._kept(sign.moment)}));"]
        if call.moment in compared_moments(self._plan.signs):
            return [f"print({label}, keep({self._kept(call.moment)}, {expression}));"]
        if gives_value(call):
            return [f"print({label}, {expression});"]
        return [f"{expression};"]

    def _comes_back(self, call: Call, expression: str, label: str) -> list[str]:
        number = object_of(call.got)
        if number is None or not self._known(number) or number in self._declared:
            return [f"comesBack({label}, () -> {expression});"]
        variable = self._plan.variables[number]
        lines = self._assigned(
            variable, number, f"({variable.kind}) given({label}, () -> {expression})"
        )
        return lines + self._told(call, label, variable.name)

    def _kept(self, moment: int) -> int:
        """The number by which the result of the call of this moment is kept."""
        return compared_moments(self._plan.signs).index(moment) + 1

    def _is_alone(self, call: Call) -> bool:
        """Whether the main thread itself makes the call, and so goes no further if it hangs."""
        return call.within is None and call.moment not in self._plan.overlapped

    def _still_hangs(self) -> list[str]:
        """What the main thread waits for at the end, where a call beside it hangs."""
        signs = ((call, self._plan.signs.get(call.moment)) for call in self._plan.calls)
        return [
            f"stillHangs({sign.seconds});"
            for call, sign in signs
            if isinstance(sign, Hangs) and not self._is_alone(call)
        ]

    def _completions(self, count: int) -> str:
        """So many calls, and the completion listeners that they are to be of."""
        kinds = self._plan.recording.listeners
        numbers = [n for n in sorted(self._listeners) if kinds[n] == "CompletionListener"]
        heard = [f"{name}{number}" for number in numbers for name, *_ in self._methods(number)]
        return ", ".join([str(count), *heard])

    def _told(self, call: Call, label: str, name: str) -> list[str]:
        """What is printed of an object: that there is one, where one may be missing."""
        if call.moment in self._plan.signs:
            if call.got is not None and "content" in call.got:
                return [f"gives({label}, {name}, {self._values.text(call.got['content'])});"]
            return [f"comes({label}, {name});"]
        return [f"arrives({label}, {name});"] if call.method.startswith("receive") else []

    def _throws(self, call: Call, step: str) -> str:
        sign = self._plan.signs.get(call.moment)
        helper, kind = "fails", call.threw[0]
        if isinstance(sign, Throws):
            helper, kind = "throwsIt", sign.kind
        return f"{helper}({java_label(self._expression(call))}, {step}, {literal(kind)});"

    def _assigned(self, variable: Variable, number: int, expression: str) -> list[str]:
        first = number not in self._declared
        self._declared.add(number)
        kind = "" if self._plan.fields or not first else f"{variable.kind} "
        return [f"{kind}{variable.name} = {expression};"]

    def _cast(self, call: Call, variable: Variable, expression: str) -> str:
        made = variable.kind in call.method.replace("create", "")
        is_plain = call.on is None or made or call.method in ("getEnumeration",)
        if call.method.startswith("create") and not call.method.startswith("createCon"):
            is_plain = call.method != "createMessage" or variable.kind == "Message"
        if call.method in ("createConsumer", "createConnection", "createContext"):
            is_plain = True
        return expression if is_plain else f"({variable.kind}) {expression}"

    def _expression(self, call: Call) -> str:
        given = ", ".join(self._given(call, value) for value in call.given)
        if call.method == "receiveNoWait" and call.got is not None:
            return f"soon({self._name(call.on or 0)}::receiveNoWait)"
        if call.method in ("byte[]", "java.util.ArrayList"):
            return given
        if call.method == FOREIGN:
            return self._foreign(call, given)
        if call.on is None:
            return f"new {call.method}({given})"
        if call.method == "=":
            name = self._name(call.on)
            if self._plan.variables[call.on].kind == "byte[]":
                return f"System.arraycopy({given}, 0, {name}, 0, {name}.length)"
            return f"Collections.copy({name}, {given})"
        return f"{self._target(call, call.on)}.{call.method}({given})"

    def _foreign(self, call: Call, content: str) -> str:
        """A message that the program implements itself."""
        if call.interface == "BytesMessage":
            raise NotExpressible("a message of bytes is implemented by the harness")
        return f"foreign({call.interface}.class, {content})"

    def _target(self, call: Call, number: int) -> str:
        """The object that is called, as the interface that has the method."""
        name, kind = self._name(number), self._plan.variables[number].kind
        fits = call.interface in (kind.rpartition(".")[2], kind.partition("<")[0], "Message")
        return name if fits or "." in kind else f"(({call.interface}) {name})"

    def _filling(self, call: Call) -> str:
        """A call that fills an array: what it gives, and the array."""
        array, *others = map(self._argument, call.given)
        given = ", ".join(["array", *others])
        return (
            f"filled({array}, array -> {self._target(call, call.on or 0)}.{call.method}({given}))"
        )

    def _given(self, call: Call, value: Value) -> str:
        """An argument; one that is an acknowledgement mode by its name."""
        if value == {"String": self._plan.recording.place.host} and call.on in self._behind_relays:
            return "Relay.HERE"
        mode = _MODES.get((value or {}).get("int", "")) if call.method in _TAKE_MODE else None
        return self._argument(value) if mode is None else f"Session.{mode}"

    def _argument(self, value: object) -> str:
        assert value is None or isinstance(value, dict)
        written = self._values.text(value)
        if value is None:
            return written
        if "listener" in value:
            self._listeners.add(value["listener"])
        held = str(value.get("as", "")).rpartition(".")[2]
        number = object_of(value)
        if "object" in value and number is not None and self._known(number):
            declared = self._plan.variables[number].kind
            of_jms = str(value.get("as", "")).startswith(self._namespace)
            if of_jms and held not in (declared, "Message", "Destination"):
                return f"({held}) {written}"
        elif held in ("Object", "Serializable", "Map"):
            return f"({value['as']}) {written}"
        return written

    def _known(self, number: int) -> bool:
        return number in self._plan.variables

    def _name(self, number: int) -> str:
        if not self._known(number):
            raise NotExpressible(self._why_unknown(number))
        return self._plan.variables[number].name

    def _why_unknown(self, number: int) -> str:
        """Why there is no variable for an object."""
        calls = self._plan.recording.calls
        values = [value for call in calls for value in call.given if object_of(value) == number]
        kinds = {str(value["class"]) for value in values if value}
        if any("$Proxy" in kind for kind in kinds):
            return "a message is implemented by the harness"
        named = f" ({', '.join(sorted(kinds))})" if kinds else ""
        return f"an object of the client comes from somewhere else than a call{named}"

    # -- fields and listeners --------------------------------------------------------------------

    def _fields(self) -> list[str]:
        lines: list[str] = []
        if self._plan.fields:
            lines += [
                f"    static volatile {variable.kind} {variable.name};"
                for variable in self._plan.variables.values()
            ]
        return [*lines, ""]

    def _methods(self, number: int) -> list[tuple[str, str, str]]:
        """The methods of a listener: its name, its parameters, and the last of these."""
        kind = self._plan.recording.listeners[number]
        methods = {
            "MessageListener": [("onMessage", "Message message", "message")],
            "ExceptionListener": [("onException", "JMSException error", "error")],
            "CompletionListener": [
                ("onCompletion", "Message message", "message"),
                ("onException", "Message message, Exception error", "error"),
            ],
        }.get(kind)
        if methods is None:
            raise NotExpressible(f"a {kind} is implemented by the harness")
        return methods

    def _all_listeners(self) -> list[list[str]]:
        """Those that the main thread sets, and those that they set themselves."""
        written: dict[int, list[str]] = {}
        while left := self._listeners - written.keys():
            written |= {number: self._listener(number) for number in sorted(left)}
        return [written[number] for number in sorted(written)]

    def _listener(self, number: int) -> list[str]:
        """A listener that does, each time, what the scenario's did then."""
        kind, methods = self._plan.recording.listeners[number], self._methods(number)
        lines = [f"static final Heard {method}{number} = new Heard();" for method, *_ in methods]
        lines.append(f"static final {kind} listener{number} = new {kind}() {{")
        for method, parameters, told in methods:
            lines.append(f"    public void {method}({parameters}) {{")
            lines += [f"        {line}" for line in self._heard(number, method, told)]
            lines.append("    }")
        return [*lines, "};"]

    def _heard(self, number: int, method: str, told: str) -> list[str]:
        callbacks = [
            callback
            for callback in self._plan.recording.callbacks
            if (callback.listener, callback.method) == (number, method)
        ]
        heard = f"{method}{number}"
        lines = [
            f"int time = {heard}.begins();",
            f'print("{method} of listener{number}, call " + time, {told});',
        ]
        cases = [line for callback in callbacks for line in self._case(callback)]
        if cases:
            lines += ["try {", "    switch (time) {", *(f"        {line}" for line in cases)]
            lines += ["    }", "} catch (Exception error1) {"]
            lines += [f"    if (!{literal(_THROWN)}.equals(error1.getMessage()))"]
            lines += ['        differs("the listener threw " + error1 + ", shown was", "no such");']
            lines += [
                "    if (error1 instanceof RuntimeException) throw (RuntimeException) error1;"
            ]
            lines += ["    throw new RuntimeException(error1);"]
            lines += ["} finally {", f"    {heard}.ends();", "}"]
        else:
            lines.append(f"{heard}.ends();")
        return lines

    def _waits_before_end(self, callback: Callback) -> list[str]:
        """For what came before the end of a listener's call, if only another call of a listener."""
        if not self._plan.words:
            return []
        during = [
            f"{other.method}{other.listener}.awaitBegun({other.time});"
            for other in self._plan.recording.callbacks
            if callback.moment < other.moment
            and (callback.until is None or other.moment < callback.until)
        ]
        return [*during, *([] if callback.until is None else self._awaits_turn(callback.until))]

    def _case(self, callback: Callback) -> list[str]:
        lines = []
        parameters = {"onException": ("message", "error")}.get(callback.method, ("message",))
        for value, parameter in zip(callback.given, parameters, strict=False):
            number = object_of(value)
            if number is None or not self._known(number) or number in self._declared:
                continue
            variable = self._plan.variables[number]
            if parameter == "message" and variable.kind != "Object":
                self._declared.add(number)
                lines.append(f"{variable.name} = ({variable.kind}) {parameter};")
        for call in self._plan.of(callback):
            lines += self._in_turn(call)
        lines += self._waits_before_end(callback)
        if callback.threw:
            lines.append(f"throw new {callback.threw[0]}({literal(_THROWN)});")
        else:
            lines.append("break;") if lines else None
        return [f"case {callback.time}:", *(f"    {line}" for line in lines)] if lines else []


def _behind_relays(recording: CallRecording) -> Set[int | None]:
    """The objects that are told the port of a relay, and so have to be told its host."""
    ports = [{"int": str(relay.port)} for relay in recording.relays.values()]
    return {call.on for call in recording.calls if any(port in call.given for port in ports)}


def _quoted(code: str) -> str:
    """Code within a text: on one line, and not too long."""
    line = " ".join(code.replace("`", "'").split())
    return f"`{line if len(line) <= _LONGEST else f'{line[:_LONGEST]}...'}`"
