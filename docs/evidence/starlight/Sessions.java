import com.datastax.oss.pulsar.jms.PulsarConnectionFactory;
import jakarta.jms.*;
import jakarta.jms.Queue;
import java.util.*;
import java.util.concurrent.*;

/**
 * What sessions of Starlight for JMS 9.0.0 do to messages that chance decides on, counted:
 * java -cp JARS Sessions.java HOST PORT WEB [USER PASSWORD], with the jars of starlight-9.0.0.lock; WEB is the port of
 * Pulsar's administration by HTTP. On Pulsar 4.0.7 it prints, the numbers being others each time,
 *
 * close() of ten connections: 8 messages come again whose listener had returned
 * rollback() of one message of 400: 199 others say that they come again
 *
 * and, given a user and a password, on a broker that asks for a token,
 *
 * a password that is no token: jakarta.jms.JMSException
 */
public class Sessions {
    static final int MESSAGES = 400;
    static String[] at;

    public static void main(String[] arguments) throws Exception {
        at = arguments;
        if (at.length > 3) {
            login(at[3], at[4]);
        } else {
            closing();
            rollback();
        }
        System.exit(0); // threads of the client go on
    }

    static PulsarConnectionFactory factory(Map<String, Object> more) throws Exception {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put("brokerServiceUrl", "pulsar://" + at[0] + ":" + at[1]);
        settings.put("webServiceUrl", "http://" + at[0] + ":" + at[2]);
        return new PulsarConnectionFactory(settings);
    }

    static String name(String of) {
        return of + "-" + UUID.randomUUID();
    }

    static void send(Session session, Queue queue, int count) throws JMSException {
        try (MessageProducer producer = session.createProducer(queue)) {
            for (int i = 0; i < count; i++) producer.send(session.createTextMessage("" + i));
        }
    }

    /** The connection is closed while listeners run: how many messages come again whose listener had returned. */
    static void closing() throws Exception {
        int again = 0;
        try (PulsarConnectionFactory factory = factory(Map.of())) {
            for (int round = 0; round < 10; round++) {
                Set<String> handled = ConcurrentHashMap.newKeySet();
                Connection connection = factory.createConnection();
                Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                Queue queue = session.createQueue(name("closing"));
                send(session, queue, 50);
                CountDownLatch some = new CountDownLatch(10);
                session.createConsumer(queue).setMessageListener(message -> {
                    try {
                        Thread.sleep(5);
                        handled.add(message.getBody(String.class));
                    } catch (Exception failed) {
                        throw new RuntimeException(failed);
                    }
                    some.countDown();
                });
                connection.start();
                some.await();
                connection.close();
                try (Connection next = factory.createConnection()) {
                    next.start();
                    MessageConsumer consumer = next.createSession().createConsumer(queue);
                    for (Message m; (m = consumer.receive(2_000)) != null;)
                        if (handled.contains(m.getBody(String.class))) again++;
                }
            }
        }
        System.out.println("close() of ten connections: " + again + " messages come again whose listener had returned");
    }

    /** One message is received and rolled back: how many others another consumer is told to come again. */
    static void rollback() throws Exception {
        try (PulsarConnectionFactory factory = factory(Map.of("jms.emulateTransactions", "true"));
                Connection connection = factory.createConnection()) {
            connection.start();
            Session sending = connection.createSession(), one = connection.createSession(true, 0);
            Queue queue = sending.createQueue(name("rollback"));
            MessageConsumer first = one.createConsumer(queue);
            send(sending, queue, MESSAGES);
            String received = first.receive(10_000).getBody(String.class);
            Thread.sleep(1_000); // the client fetches ahead
            MessageConsumer second = sending.createConsumer(queue);
            one.rollback();
            int flagged = 0;
            for (Message m; (m = second.receive(2_000)) != null;)
                if (m.getJMSRedelivered() && !received.equals(m.getBody(String.class))) flagged++;
            System.out.println("rollback() of one message of " + MESSAGES + ": " + flagged
                    + " others say that they come again");
        }
    }

    /** How a password that is no token is refused, on a broker that asks for one. */
    static void login(String user, String password) throws Exception {
        Map<String, Object> settings = Map.of("jms.useCredentialsFromCreateConnection", "true",
                "authPlugin", "org.apache.pulsar.client.impl.auth.AuthenticationToken");
        try (PulsarConnectionFactory factory = factory(settings)) {
            Session session = factory.createConnection(user, password).createSession();
            session.createProducer(session.createQueue(name("login"))).send(session.createMessage());
            System.out.println("a password that is no token is taken");
        } catch (JMSException refused) {
            System.out.println("a password that is no token: " + refused.getClass().getName());
        }
    }
}
