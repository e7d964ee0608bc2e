import jakarta.jms.*;
import java.util.*;
import java.util.concurrent.*;

/** A receive() that waits while its consumer, its session or its connection is closed. See Api. */
class Waiting extends Api {
    public static void main(String[] args) throws Exception {
        ConnectionFactory factory = factory(args);
        for (int round = 1; round <= 20; round++) {
            if (round <= 3) {
                show("JMS-CONS-004", "close() of the consumer, receive()", "null", () -> received(factory, 1, (connection, session, consumer) -> consumer.close()));
                show("JMS-SESS-003", "close() of the session, receive()", "null", () -> received(factory, 1, (connection, session, consumer) -> session.close()));
            }
            show("JMS-CONN-015", "close() of the connection, receive() in three sessions", "null, null, null", () -> received(factory, 3, (connection, session, consumer) -> connection.close()));
        }
        System.exit(0);
    }

    interface Closing {
        void close(Connection connection, Session session, MessageConsumer consumer) throws JMSException;
    }

    /** What that of each session gives or throws; the last one's session and consumer are closed. */
    static String received(ConnectionFactory factory, int sessions, Closing closing) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(sessions);
        try (Connection connection = factory.createConnection()) {
            connection.start();
            Session session = null;
            MessageConsumer consumer = null;
            List<Future<String>> received = new ArrayList<>();
            for (int i = 0; i < sessions; i++) {
                session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                MessageConsumer receiver = consumer = session.createConsumer(session.createQueue(fresh()));
                received.add(threads.submit(() -> seen(() -> receiver.receive(20_000))));
            }
            Thread.sleep(1_000);
            closing.close(connection, session, consumer);
            List<String> all = new ArrayList<>();
            for (Future<String> each : received) all.add(each.get(30, TimeUnit.SECONDS));
            return String.join(", ", all);
        } finally {
            threads.shutdown();
        }
    }
}
