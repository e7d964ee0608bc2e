"""The relay of a program between client and broker, as Java, and the faults that it makes."""

from __future__ import annotations

from typing import Final

from touchstone.reproducing.relays import Fault

RELAY: Final = """
/** Passes on what client and broker send each other, until a fault is asked for. */
static class Relay {
    enum Way { TO_BROKER, TO_CLIENT }

    static final String HERE = "127.0.0.1";

    private final Set<Socket> open = new HashSet<>();
    private final Set<Way> stalled = EnumSet.noneOf(Way.class);
    private ServerSocket listening;
    private int port;

    Relay() throws IOException {
        up();
    }

    int port() {
        return port;
    }

    /** Listen, again on the same port. */
    synchronized void up() throws IOException {
        if (listening != null) return;
        ServerSocket here = new ServerSocket();
        here.setReuseAddress(true);
        here.bind(new InetSocketAddress(HERE, port));
        port = here.getLocalPort();
        listening = here;
        beside(() -> {
            while (true) accepted(here.accept(), here);
        });
    }

    /** Refuse connections, and reset those that are open. */
    synchronized void down() throws IOException {
        if (listening != null) listening.close();
        listening = null;
        cut();
    }

    /** Reset every connection on both sides. */
    synchronized void cut() {
        for (Socket each : open) reset(each);
        open.clear();
        System.out.println("the relay has cut every connection");
    }

    /** Pass on nothing these ways; nothing is lost. */
    synchronized void stall(Way... ways) {
        stalled.addAll(Arrays.asList(ways));
    }

    /** End stall. */
    synchronized void resume(Way... ways) {
        stalled.removeAll(Arrays.asList(ways));
        notifyAll();
    }

    private synchronized void accepted(Socket client, ServerSocket here) throws IOException {
        Socket broker = new Socket();
        try {
            if (here != listening) throw new IOException("down");
            client.setTcpNoDelay(true);
            broker.setTcpNoDelay(true);
            broker.connect(new InetSocketAddress(HOST, PORT), 10_000);
        } catch (IOException error) {
            reset(client);
            return;
        }
        open.addAll(Arrays.asList(client, broker));
        beside(() -> pump(client, broker, Way.TO_BROKER));
        beside(() -> pump(broker, client, Way.TO_CLIENT));
    }

    private Object pump(Socket from, Socket to, Way way) throws Exception {
        byte[] bytes = new byte[65_536];
        try {
            while (true) {
                awaitFlow(way);
                int count = from.getInputStream().read(bytes);
                awaitFlow(way);
                if (count < 0) break;
                to.getOutputStream().write(bytes, 0, count);
            }
            to.shutdownOutput();
        } catch (IOException error) {
            reset(from);
            reset(to);
        }
        return null;
    }

    private synchronized void awaitFlow(Way way) throws InterruptedException {
        while (stalled.contains(way)) wait();
    }

    private static void reset(Socket end) {
        if (end.isClosed()) return;
        try {
            end.setSoLinger(true, 0);
            end.close();
        } catch (IOException error) {
            System.out.println("a connection ended meanwhile: " + error.getMessage());
        }
    }
}"""


def fault_line(fault: Fault) -> str:
    """What has the program's relay do it."""
    name = f"relay{fault.relay}"
    ways = [f"Relay.Way.{way}" for way in fault.given if fault.does in ("stall", "resume")]
    return f"{name}.{fault.does}({', '.join(ways)});"
