import jakarta.jms.*;
import java.util.*;
import java.util.concurrent.*;

/** stop() and close() by another thread while a listener is at work, and what the listener can do meanwhile. See Api. */
class Ending extends Api {
    static final Map<String, Integer> MODES = new TreeMap<>(Map.of("AUTO_ACKNOWLEDGE", Session.AUTO_ACKNOWLEDGE,
            "CLIENT_ACKNOWLEDGE", Session.CLIENT_ACKNOWLEDGE, "SESSION_TRANSACTED", Session.SESSION_TRANSACTED));

    public static void main(String[] args) throws Exception {
        ConnectionFactory factory = factory(args);
        for (Map.Entry<String, Integer> mode : MODES.entrySet()) {
            int number = mode.getValue();
            String of = ", " + mode.getKey() + ": comes back";
            for (boolean two : new boolean[] {false, true}) {
                String besides = two ? " with a second session at work" : "";
                show("JMS-CONN-009", "stop() of a connection" + besides + of, "after the listener, which sent and settled, its message is gone", () -> ended(factory, number, two, (connection, session, consumer) -> connection.stop()));
                show("JMS-CONN-014", "close() of a connection" + besides + of, "after the listener, which sent and settled, its message is gone", () -> ended(factory, number, two, (connection, session, consumer) -> connection.close()));
            }
            for (boolean stops : new boolean[] {true, false}) {
                String what = stops ? "stop() of another context" : "close() of a context";
                show(stops ? "JMS-CONN-009" : "JMS-SESS-002", what + of, "after the listener, which sent and settled", () -> endedByContext(factory, number, stops));
            }
            show("JMS-SESS-002", "close() of a session" + of, "after the listener, which sent and settled, its message is gone", () -> ended(factory, number, false, (connection, session, consumer) -> session.close()));
            show("JMS-CONS-004", "close() of a consumer" + of, "after the listener, which sent and settled, its message is gone", () -> ended(factory, number, false, (connection, session, consumer) -> consumer.close()));
        }
        show("JMS-CONN-010", "commit() alone in a listener while another thread calls stop(): its message", "is gone", () -> committed(factory));
        for (int round = 1; round <= 5; round++) {
            show("JMS-CONN-008", "stop() while a receive() waits, then a message is sent: it gives", "taken, nothing; once started: the message", () -> receivedWhileStopped(factory));
            show("JMS-SESS-003", "close() of one of three sessions whose receive() began before start(): it gives", "null", () -> receivedFromBeforeStart(factory));
            show("JMS-SESS-003", "close() of a context while a receive() waits: it gives", "null", () -> receivedByContext(factory));
        }
        System.exit(0);
    }

    interface End {
        void end(Connection connection, Session session, MessageConsumer consumer) throws JMSException;
    }

    /** Whether it came back before or after the last listener had returned, and what the first did meanwhile. */
    static Object ended(ConnectionFactory factory, int mode, boolean two, End end) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        CountDownLatch atWork = new CountDownLatch(two ? 2 : 1), returns = new CountDownLatch(1), returned = new CountDownLatch(two ? 2 : 1);
        String[] did = {"did nothing"};
        Connection connection = factory.createConnection();
        try (JMSContext own = factory.createContext()) {
            Session first = null;
            MessageConsumer consumer = null;
            jakarta.jms.Queue firstOne = null;
            for (int i = 0; i < (two ? 2 : 1); i++) {
                Session session = connection.createSession(mode == Session.SESSION_TRANSACTED, mode);
                jakarta.jms.Queue queue = session.createQueue(fresh());
                own.createProducer().send(queue, "foo");
                MessageConsumer receiver = session.createConsumer(queue);
                boolean works = i == 0;
                receiver.setMessageListener(message -> {
                    atWork.countDown();
                    try {
                        returns.await();
                        if (works) did[0] = seen(() -> worked(session, message));
                        if (!works) Thread.sleep(300);
                    } catch (InterruptedException stopped) {
                        did[0] = "was interrupted";
                    }
                    returned.countDown();
                });
                if (first == null) {
                    first = session;
                    firstOne = queue;
                    consumer = receiver;
                }
            }
            connection.start();
            atWork.await(20, TimeUnit.SECONDS);
            Session session = first;
            MessageConsumer receiver = consumer;
            Future<String> result = threads.submit(() -> {
                String answer = called(() -> end.end(connection, session, receiver));
                return answer + (returned.getCount() == 0 ? " after" : " before") + " the listener had returned";
            });
            Thread.sleep(1_000);
            returns.countDown();
            returned.await(20, TimeUnit.SECONDS);
            String seen = inTime(result, 20) + "; it " + did[0];
            inTime(threads.submit(() -> called(connection::close)), 10);
            Message again = own.createConsumer(firstOne).receive(2_000);
            return new StringBuilder((seen + ", its message " + (again == null ? "is gone" : "comes again")).replace("\"", ""));
        } finally {
            inTime(threads.submit(() -> called(connection::close)), 10);
            threads.shutdown();
        }
    }

    /** What becomes of the message of a listener that commits, and does nothing else. */
    static Object committed(ConnectionFactory factory) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        CountDownLatch atWork = new CountDownLatch(1), returns = new CountDownLatch(1), returned = new CountDownLatch(1);
        Connection connection = factory.createConnection();
        try (JMSContext own = factory.createContext()) {
            Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
            jakarta.jms.Queue queue = session.createQueue(fresh());
            own.createProducer().send(queue, "foo");
            String[] did = {"did nothing"};
            session.createConsumer(queue).setMessageListener(message -> {
                atWork.countDown();
                try {
                    returns.await();
                } catch (InterruptedException stopped) {
                    return;
                }
                did[0] = called(session::commit);
                returned.countDown();
            });
            connection.start();
            atWork.await(20, TimeUnit.SECONDS);
            Future<String> stopped = threads.submit(() -> called(connection::stop));
            Thread.sleep(500);
            returns.countDown();
            returned.await(20, TimeUnit.SECONDS);
            inTime(stopped, 10);
            inTime(threads.submit(() -> called(connection::close)), 10);
            Message again = own.createConsumer(queue).receive(5_000);
            return new StringBuilder(did[0] + ", " + (again == null ? "is gone" : "comes again"));
        } finally {
            inTime(threads.submit(() -> called(connection::close)), 10);
            threads.shutdown();
        }
    }

    /** The same of two contexts that share a connection; the second one's listener is at work. */
    static Object endedByContext(ConnectionFactory factory, int mode, boolean stops) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        CountDownLatch atWork = new CountDownLatch(1), returns = new CountDownLatch(1), returned = new CountDownLatch(1);
        String[] did = {"did nothing"};
        JMSContext first = factory.createContext(mode), second = first.createContext(mode);
        try (JMSContext own = factory.createContext()) {
            jakarta.jms.Queue queue = own.createQueue(fresh());
            own.createProducer().send(queue, "foo");
            second.createConsumer(queue).setMessageListener(message -> {
                atWork.countDown();
                try {
                    returns.await();
                    did[0] = seen(() -> {
                        second.createProducer().send(second.createQueue(fresh()), "bar");
                        if (second.getTransacted()) second.commit();
                        else message.acknowledge();
                        return "sent and settled";
                    });
                } catch (InterruptedException stopped) {
                    did[0] = "was interrupted";
                }
                returned.countDown();
            });
            inTime(threads.submit(() -> called(first::start)), 10);
            atWork.await(20, TimeUnit.SECONDS);
            Future<String> result = threads.submit(() -> called(stops ? first::stop : second::close) + (returned.getCount() == 0 ? " after" : " before") + " the listener had returned");
            Thread.sleep(1_000);
            returns.countDown();
            returned.await(20, TimeUnit.SECONDS);
            return new StringBuilder((inTime(result, 20) + "; it " + did[0]).replace("\"", ""));
        } finally {
            for (JMSContext each : List.of(second, first)) inTime(threads.submit(() -> called(each::close)), 10);
            threads.shutdown();
        }
    }

    static String inTime(Future<String> result, int seconds) throws Exception {
        try {
            return result.get(seconds, TimeUnit.SECONDS);
        } catch (TimeoutException late) {
            return "not in " + seconds + " s";
        }
    }

    /** What a receive() that waited gives while its connection is stopped. */
    static Object receivedWhileStopped(ConnectionFactory factory) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        Connection connection = factory.createConnection();
        try (JMSContext own = factory.createContext()) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            jakarta.jms.Queue queue = session.createQueue(fresh());
            MessageConsumer consumer = session.createConsumer(queue);
            connection.start();
            Future<String> received = threads.submit(() -> seen(() -> ((TextMessage) consumer.receive()).getText()));
            Thread.sleep(500);
            String stopped = inTime(threads.submit(() -> called(connection::stop)), 5);
            own.createProducer().send(queue, "foo");
            String answer = inTime(received, 2).replace("not in 2 s", "nothing");
            inTime(threads.submit(() -> called(connection::start)), 5);
            return new StringBuilder(stopped + ", " + answer + "; once started: " + inTime(received, 10));
        } finally {
            inTime(threads.submit(() -> called(connection::close)), 10);
            threads.shutdown();
        }
    }

    /** What a receive() gives that began before start(), like those of two other sessions, once its session is closed. */
    static Object receivedFromBeforeStart(ConnectionFactory factory) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        Connection connection = factory.createConnection();
        try {
            List<Session> sessions = new ArrayList<>();
            List<Future<String>> received = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                MessageConsumer consumer = session.createConsumer(session.createQueue(fresh()));
                received.add(threads.submit(() -> seen(consumer::receive)));
                sessions.add(session);
            }
            Thread.sleep(50);
            inTime(threads.submit(() -> called(connection::start)), 5);
            String closed = inTime(threads.submit(() -> called(sessions.get(1)::close)), 10);
            return new StringBuilder(closed + ", " + inTime(received.get(1), 10));
        } finally {
            inTime(threads.submit(() -> called(connection::close)), 10);
            threads.shutdown();
        }
    }

    /** What a receive() gives of which the context is closed, beside another that goes on. */
    static Object receivedByContext(ConnectionFactory factory) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (JMSContext other = factory.createContext()) {
            JMSContext context = other.createContext(JMSContext.AUTO_ACKNOWLEDGE);
            JMSConsumer consumer = context.createConsumer(context.createQueue(fresh()));
            Future<String> received = threads.submit(() -> seen(consumer::receive));
            Thread.sleep(500);
            String closed = inTime(threads.submit(() -> called(context::close)), 10);
            return new StringBuilder(closed + ", " + inTime(received, 10));
        } finally {
            threads.shutdown();
        }
    }

    /** What a listener did at its work. */
    static String worked(Session session, Message message) throws JMSException {
        try (MessageProducer producer = session.createProducer(session.createQueue(fresh()))) {
            producer.send(session.createTextMessage("bar"));
        }
        if (session.getTransacted()) session.commit();
        else message.acknowledge();
        return "sent and settled";
    }
}
