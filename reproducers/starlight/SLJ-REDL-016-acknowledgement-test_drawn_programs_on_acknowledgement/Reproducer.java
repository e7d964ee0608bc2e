import jakarta.jms.*;
import jakarta.jms.Queue;
import java.util.*;
import java.util.concurrent.*;

/**
 * SLJ-REDL-016 with starlight 9.0.0: After Session.recover() delivery resumes with the oldest unacknowledged message.
 * Sources: 000_ec19b7802b9a81b8.txt, Negative acknowledgement.
 * Expected: message 1
 * Seen: receive of a message that recover gave back gave a later message
 *
 * Arguments: host and port of the broker. Ends with SEEN or NOT SEEN.
 */
public class Reproducer {
    static String HOST = "127.0.0.1";
    static int PORT = 24601;
    static boolean seen = true;

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) HOST = arguments[0];
        if (arguments.length > 1) PORT = Integer.parseInt(arguments[1]);
        try {
            com.datastax.oss.pulsar.jms.PulsarConnectionFactory factory1 = new com.datastax.oss.pulsar.jms.PulsarConnectionFactory(map("webServiceUrl", "http://127.0.0.1:28257", "consumerConfig", map("negativeAckRedeliveryDelayMicros", Integer.valueOf(1000)), "jms.systemNamespace", "touchstone/gw0-fca54ede", "brokerServiceUrl", "pulsar://" + HOST + ":" + PORT));
            // c0 = create_connection('a')
            Connection connection1 = factory1.createConnection();
            connection1.setClientID(fresh("a1"));
            // s0 = c0.create_session(INDIVIDUAL)
            Session session1 = connection1.createSession(false, 4);
            // c0.start()
            connection1.start();
            // s0.send(q0, text, 1, 'producer')
            Queue queue1 = session1.createQueue(fresh("q02"));
            TextMessage message1 = session1.createTextMessage("text");
            message1.setIntProperty("number", 1);
            message1.setIntProperty("x", 1);
            message1.setStringProperty("w", "null");
            message1.setJMSCorrelationID("null");
            MessageProducer producer1 = session1.createProducer(queue1);
            producer1.send(message1);
            // s0.send(q0, text, 1, 'producer')
            TextMessage message2 = session1.createTextMessage("text");
            message2.setIntProperty("number", 2);
            message2.setIntProperty("x", 1);
            message2.setLongProperty("l", 1099511627776L);
            message2.setStringProperty("w", "");
            producer1.send(message2);
            // k6 = s0.create_consumer(q0)
            MessageConsumer consumer1 = session1.createConsumer(queue1);
            // m8 = k6.receive()
            TextMessage message3 = (TextMessage) consumer1.receive(10000L);
            comes("consumer1.receive(10000L)", message3);
            gives("message3.propertyExists('number')", message3.propertyExists("number"), true);
            gives("message3.getIntProperty('number')", message3.getIntProperty("number"), 1);
            // s0.recover()
            session1.recover();
            // m14 = k6.receive(); permitted: message 1
            TextMessage message4 = (TextMessage) consumer1.receive(10000L);
            comes("consumer1.receive(10000L)", message4);
            gives("message4.propertyExists('number')", message4.propertyExists("number"), true);
            gives("message4.getIntProperty('number')", message4.getIntProperty("number"), 2);
        } catch (Throwable error) {
            seen = false;
            System.out.println("it ended early: " + error);
        }
        System.out.println(seen ? "SEEN" : "NOT SEEN");
        System.exit(seen ? 0 : 1);
    }

    /** A name of this run alone. */
    static String fresh(String stem) {
        return stem + "_" + RUN;
    }

    static final String RUN = Long.toString(System.nanoTime(), 36);

    @SuppressWarnings("unchecked")
    static <K> Map<K, Object> map(Object... pairs) {
        Map<K, Object> made = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) made.put((K) pairs[i], pairs[i + 1]);
        return made;
    }

    /** The difference shows if the call gives this. */
    static void gives(String what, Object given, Object shown) {
        print(what, given);
        if (!Objects.deepEquals(given, shown)) differs("shown was", text(shown));
    }

    /** The difference shows if there is something. */
    static void comes(String what, Object given) {
        print(what, given);
        if (given == null) differs("shown was", "a message");
    }

    static void differs(String what, String shown) {
        seen = false;
        System.out.println("    differs: " + what + " " + shown);
    }

    static void print(String what, Object given) {
        System.out.println(what + " gave " + text(given));
    }

    static String text(Object value) {
        if (value instanceof byte[]) return Arrays.toString((byte[]) value);
        String text = String.valueOf(value).replace("\n", " ");
        return text.length() > 200 ? text.substring(0, 200) + "..." : text;
    }
}
