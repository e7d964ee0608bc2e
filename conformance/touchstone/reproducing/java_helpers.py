"""The few methods that a program has besides its calls: those that it needs."""

from __future__ import annotations

import re
from typing import Final

from touchstone.reproducing.foreign_java import FOREIGN_MESSAGE, READ
from touchstone.reproducing.relay_java import RELAY

DIFFERS: Final = "    differs: "
"""What a line begins with that says what was to be shown and was not."""
ENDED_EARLY: Final = "it ended early: "
"""What a line begins with that names what a call threw which was to come back."""
_STEP: Final = """
interface Step {
    Object take() throws Exception;
}"""
_VOID: Final = """
interface Void {
    void take() throws Exception;
}"""
_HELPERS: Final = {
    "PASSWORD": """
static final String PASSWORD = System.getenv().getOrDefault("BROKER_PASSWORD", "");""",
    "fresh(": """
/** A name of this run alone. */
static String fresh(String stem) {
    return stem + "_" + RUN;
}

static final String RUN = Long.toString(System.nanoTime(), 36);""",
    "map(": """
@SuppressWarnings("unchecked")
static <K> HashMap<K, Object> map(Object... pairs) {
    HashMap<K, Object> made = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) made.put((K) pairs[i], pairs[i + 1]);
    return made;
}""",
    "soon(": """
/** The message that receiveNoWait() gives, asked again for at most ten seconds. */
static Message soon(Callable<Message> step) throws Exception {
    Message message = null;
    long end = System.nanoTime() + 10_000_000_000L;
    while (message == null && end > System.nanoTime()) {
        message = step.call();
        if (message == null) Thread.sleep(10);
    }
    return message;
}""",
    "gives(": """
/** The difference shows if the call gives this. */
static void gives(String what, Step step, Object shown) {
    gives(what, given(what, step), shown);
}

static void gives(String what, Object given, Object shown) {
    print(what, given);
    if (!Objects.deepEquals(plain(given), plain(shown))) differs("shown was", text(shown));
}""",
    "givesAnother(": """
/** The difference shows if the call gives something else. */
static void givesAnother(String what, Step step, Object permitted) {
    Object given = given(what, step);
    print(what, given);
    if (Objects.deepEquals(plain(given), plain(permitted))) differs("shown was", "another");
}""",
    "given(": """
static Object given(String what, Step step) {
    try {
        return step.take();
    } catch (Throwable error) {
        tell(what, error);
        differs("shown was", "that it came back");
        return null;
    }
}""",
    "keep(": """
/** Keeps what a later call gives again. */
static Object keep(int number, Object given) {
    KEPT.put(number, given);
    return given;
}

static final Map<Integer, Object> KEPT = new ConcurrentHashMap<>();""",
    "filled(": """
interface Filling {
    Object take(byte[] array) throws Exception;
}

/** What a call gives, and the array that it fills. */
static List<Object> filled(byte[] array, Filling step) throws Exception {
    Object given = step.take(array);
    return Arrays.asList(given, array);
}""",
    "plain(": """
/** Lists and maps as arrays, so that arrays within them are compared by what is in them. */
static Object plain(Object value) {
    if (value instanceof List)
        return ((List<?>) value).stream().map(each -> plain(each)).toArray();
    if (!(value instanceof Map)) return value;
    Map<?, ?> sorted = new TreeMap<>((Map<?, ?>) value);
    return new Object[] {sorted.keySet().toArray(), plain(new ArrayList<>(sorted.values()))};
}""",
    "comes(": """
/** The difference shows if there is something. */
static void comes(String what, Object given) {
    print(what, given);
    if (given == null) differs("shown was", "a message");
}""",
    "arrives(": """
/** What comes behind it needs a message here. */
static void arrives(String what, Object given) {
    print(what, given);
    if (given == null) notSeen("    went otherwise: there was a message");
}""",
    "throwsIt(": """
/** The difference shows if the call throws this, or what the client derives from it. */
static void throwsIt(String what, Void step, String kind) {
    Throwable thrown = thrown(what, step);
    Class<?> known = thrown == null ? null : thrown.getClass();
    while (known != null && !known.getName().matches("(jakarta|javax)[.]jms[.]\\\\w+"))
        known = known.getSuperclass();
    if (thrown != null && known == null) known = thrown.getClass();
    if (known == null || !known.getName().equals(kind)) differs("shown was", kind);
}""",
    "passes(": """
/** The difference shows if the call throws nothing, and above all none of these. */
static void passes(String what, Void step, String... expected) {
    Throwable thrown = thrown(what, step);
    if (thrown != null) differs("shown was", "no " + String.join(" or ", expected));
}""",
    "comesBack(": """
/** The difference shows if the call throws nothing. */
static void comesBack(String what, Void step) {
    if (thrown(what, step) != null) differs("shown was", "that it came back");
}""",
    "returns(": """
/** The difference shows if the call comes back by itself. */
static void returns(String what, Void step) throws Exception {
    Future<?> later = beside(() -> { step.take(); return null; });
    try {
        later.get(10, TimeUnit.SECONDS);
        System.out.println(what + " came back");
    } catch (TimeoutException error) {
        differs(what + " does not come back;", "shown was that it does");
    }
}""",
    "hangs(": """
/** The difference shows if the call does not come back. */
static void hangs(String what, Void step) {
    System.out.println(what + " begins");
    HANGS.countDown();
    thrown(what, step);
    differs("shown was", "that it does not come back");
}

static final CountDownLatch HANGS = new CountDownLatch(1);""",
    "stillHangs(": """
/** The call that hangs has so many seconds to come back. */
static Object stillHangs(int seconds) throws InterruptedException {
    if (!HANGS.await(20, TimeUnit.SECONDS)) differs("the call that hangs", "was not made");
    Thread.sleep(seconds * 1000L);
    System.out.println("it has not come back for " + seconds + " s");
    System.out.println("SEEN");
    System.out.flush();
    Runtime.getRuntime().halt(0);
    return null;
}""",
    "silent(": """
/** The difference shows if these listeners are called no more than so often in twenty seconds. */
static void silent(int count, Heard... listeners) throws InterruptedException {
    long end = System.nanoTime() + 20_000_000_000L;
    int begun = 0;
    while (begun <= count && end > System.nanoTime()) {
        Thread.sleep(20);
        begun = 0;
        for (Heard each : listeners) begun += each.count();
    }
    System.out.println("the listeners were called " + begun + " times in all");
    if (begun > count) differs("shown was", count + " times");
}""",
    "tooSoon(": """
/** The difference shows if it comes back before so many calls of the listeners have ended. */
static void tooSoon(String what, Void step, int count, Heard... listeners) throws Exception {
    step.take();
    int ended = 0;
    for (Heard each : listeners) ended += each.ended();
    System.out.println(what + " came back behind " + ended + " of " + count + " callbacks");
    if (ended >= count) differs("shown was", "fewer than " + count);
}""",
    "passOn(": """
/** What waits for this turn on another thread goes on. */
static void passOn(int turn) {
    synchronized (PASSED) {
        PASSED.add(turn);
        PASSED.notifyAll();
    }
}

/** Wait for what another thread does before. */
static void await(int turn) throws InterruptedException {
    long end = System.nanoTime() + 30_000_000_000L;
    synchronized (PASSED) {
        while (!PASSED.contains(turn) && end > System.nanoTime()) PASSED.wait(100);
        if (!PASSED.contains(turn)) differs("a thread waited in vain;", "turn " + turn + " came");
    }
}

static final Set<Integer> PASSED = new HashSet<>();""",
    "fails(": """
/** It threw this as well, which decides nothing. */
static void fails(String what, Void step, String kind) {
    thrown(what, step);
}""",
    "thrown(": """
static Throwable thrown(String what, Void step) {
    try {
        step.take();
        System.out.println(what + " came back");
        return null;
    } catch (Throwable error) {
        tell(what, error);
        return error;
    }
}""",
    "tell(": """
static void tell(String what, Throwable error) {
    System.out.println(what + " threw " + error);
    for (StackTraceElement frame : Arrays.copyOf(error.getStackTrace(), 3))
        if (frame != null) System.out.println("        at " + frame);
    for (Throwable cause = error.getCause(); cause != null; cause = cause.getCause())
        System.out.println("    because of " + cause);
}""",
    "beside(": """
/** A call on a thread of its own, while others go on. */
static Future<?> beside(Callable<?> step) {
    FutureTask<?> task = new FutureTask<>(step);
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
    return task;
}""",
    "result(": """
static Object result(Future<?> later) throws Exception {
    try {
        return later.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException error) {
        if (error.getCause() instanceof Exception) throw (Exception) error.getCause();
        throw error;
    }
}""",
    "Heard": """
/** How often a listener was called. */
static class Heard {
    private int begun, ended;

    synchronized int begins() {
        notifyAll();
        return ++begun;
    }

    synchronized int count() {
        return begun;
    }

    synchronized int ended() {
        return ended;
    }

    synchronized void ends() {
        ended++;
        notifyAll();
    }

    synchronized void awaitBegun(int count) throws InterruptedException {
        long end = System.nanoTime() + 20_000_000_000L;
        while (begun < count && end > System.nanoTime()) wait(100);
        if (begun < count) differs("the listener was called", begun + " times instead of " + count);
    }

    synchronized void awaitEnded(int count) throws InterruptedException {
        awaitBegun(count);
        long end = System.nanoTime() + 20_000_000_000L;
        while (ended < count && end > System.nanoTime()) wait(100);
        if (ended < count) differs("the listener came back", ended + " times instead of " + count);
    }
}""",
    "Relay": RELAY,
    "foreign(": FOREIGN_MESSAGE,
    "read(": READ,
    "differs(": f"""
/** What decides is something else: the rest does not matter, and may wait in vain. */
static void differs(String what, String shown) {{
    notSeen("{DIFFERS}" + what + " " + shown);
}}""",
    "notSeen(": """
static void notSeen(String why) {
    System.out.println(why);
    System.out.println("NOT SEEN");
    System.out.flush();
    Runtime.getRuntime().halt(1);
}""",
    "print(": """
static void print(String what, Object given) {
    System.out.println(what + " gave " + text(given));
}""",
    "text(": """
static String text(Object value) {
    Object[] one = {value instanceof Collection ? ((Collection<?>) value).toArray() : value};
    String shown = Arrays.deepToString(one);
    String text = shown.substring(1, shown.length() - 1).replace("\\n", " ");
    return text.length() > 200 ? text.substring(0, 200) + "..." : text;
}""",
}


def helpers(body: str) -> list[str]:
    """The lines of the helpers that `body` and they themselves call."""
    text = body
    wanted: set[str] = set()
    while True:
        needed = {
            name
            for name in _HELPERS
            if re.search(rf"(?<![\w.]){re.escape(name)}", text) and name not in wanted
        }
        if not needed:
            break
        wanted |= needed
        text = "\n".join([body, *(_HELPERS[name] for name in wanted)])
    lines = [
        line for name, source in _HELPERS.items() if name in wanted for line in source.split("\n")
    ]
    for interface, mark in ((_VOID, "Void step"), (_STEP, "Step step")):
        if mark in text:
            lines += interface.split("\n")
    return lines
