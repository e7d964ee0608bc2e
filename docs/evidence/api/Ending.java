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
                show("JMS-CONN-009", "stop() of a connection" + besides + of, "after the listener, which sent and settled", () -> ended(factory, number, two, (connection, session, consumer) -> connection.stop()));
                show("JMS-CONN-014", "close() of a connection" + besides + of, "after the listener, which sent and settled", () -> ended(factory, number, two, (connection, session, consumer) -> connection.close()));
            }
            show("JMS-SESS-002", "close() of a session" + of, "after the listener, which sent and settled", () -> ended(factory, number, false, (connection, session, consumer) -> session.close()));
            show("JMS-CONS-004", "close() of a consumer" + of, "after the listener, which sent and settled", () -> ended(factory, number, false, (connection, session, consumer) -> consumer.close()));
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
                        if (!works) Thread.sleep(1_000);
                    } catch (InterruptedException stopped) {
                        did[0] = "was interrupted";
                    }
                    returned.countDown();
                });
                if (first == null) {
                    first = session;
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
            String answer;
            try {
                answer = result.get(20, TimeUnit.SECONDS);
            } catch (TimeoutException late) {
                answer = "not in 20 s";
            }
            return new StringBuilder((answer + "; it " + did[0]).replace("\"", ""));
        } finally {
            Future<?> last = threads.submit(() -> called(connection::close));
            try {
                last.get(10, TimeUnit.SECONDS);
            } catch (TimeoutException late) {
                // it is left behind
            }
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
