import jakarta.jms.*;
import jakarta.jms.Queue;
import java.util.*;
import java.util.concurrent.*;

/**
 * SLJ-TX-007 with starlight 9.0.0: Rolling back leaves consumed messages unacknowledged, and they come again.
 * Sources: 001_b21dc36959caa945.txt, Session.SESSION_TRANSACTED.
 * Expected: message 1
 * Seen: receive of a message that rollback gave back gave null
 *
 * Arguments: host and port of the broker. Ends with SEEN or NOT SEEN.
 */
public class Reproducer {
    static String HOST = "127.0.0.1";
    static int PORT = 24601;
    static boolean seen = true;
    static volatile com.datastax.oss.pulsar.jms.PulsarConnectionFactory factory1;
    static volatile JMSContext context1;
    static volatile Topic topic1;
    static volatile JMSConsumer consumer1;
    static volatile Queue queue1;
    static volatile JMSConsumer consumer2;
    static volatile JMSProducer producer1;
    static volatile TextMessage message1;
    static volatile TextMessage message2;

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) HOST = arguments[0];
        if (arguments.length > 1) PORT = Integer.parseInt(arguments[1]);
        try {
            factory1 = new com.datastax.oss.pulsar.jms.PulsarConnectionFactory(map("webServiceUrl", "http://127.0.0.1:28257", "consumerConfig", map("negativeAckRedeliveryDelayMicros", Integer.valueOf(1000)), "enableTransaction", "true", "jms.systemNamespace", "touchstone/gw0-fca54ede", "brokerServiceUrl", "pulsar://" + HOST + ":" + PORT));
            // s0 = c0.create_session(SESSION_TRANSACTED)
            context1 = factory1.createContext(0);
            context1.setClientID(fresh("a1"));
            // k8 = s0.create_consumer(t0)
            topic1 = context1.createTopic(fresh("t02"));
            consumer1 = context1.createConsumer(topic1);
            // k11 = s0.create_consumer(q1)
            queue1 = context1.createQueue(fresh("q13"));
            consumer2 = context1.createConsumer(queue1);
            // s0.send(t0, '5', 2, 'async')
            producer1 = context1.createProducer();
            message1 = context1.createTextMessage("5");
            message1.setIntProperty("number", 1);
            message1.setIntProperty("x", 2);
            message1.setStringProperty("w", "null");
            message1.setJMSCorrelationID("null");
            producer1.setAsync(listener1);
            producer1.setAsync(listener2);
            producer1.send(topic1, message1);
            passOn(16);
            onCompletion2.awaitEnded(1);
            // s0.commit()
            context1.commit();
            // c0.start()
            context1.start();
            // m20 = k8.receive()
            message2 = (TextMessage) consumer1.receive(10000L);
            comes("consumer1.receive(10000L)", message2);
            gives("message2.propertyExists('number')", message2.propertyExists("number"), true);
            gives("message2.getIntProperty('number')", message2.getIntProperty("number"), 1);
            // m20.acknowledge()
            message2.acknowledge();
            // s0.rollback()
            context1.rollback();
            // m31 = k8.receive(); permitted: message 1
            gives("consumer1.receive(10000L)", consumer1.receive(10000L), null);
        } catch (Throwable error) {
            seen = false;
            System.out.println("it ended early: " + error);
        }
        System.out.println(seen ? "SEEN" : "NOT SEEN");
        System.exit(seen ? 0 : 1);
    }

    static final Heard onCompletion1 = new Heard();
    static final Heard onException1 = new Heard();
    static final CompletionListener listener1 = new CompletionListener() {
        public void onCompletion(Message message) {
            int time = onCompletion1.begins();
            print("onCompletion of listener1, call " + time, message);
            onCompletion1.ends();
        }
        public void onException(Message message, Exception error) {
            int time = onException1.begins();
            print("onException of listener1, call " + time, error);
            onException1.ends();
        }
    };

    static final Heard onCompletion2 = new Heard();
    static final Heard onException2 = new Heard();
    static final CompletionListener listener2 = new CompletionListener() {
        public void onCompletion(Message message) {
            int time = onCompletion2.begins();
            print("onCompletion of listener2, call " + time, message);
            try {
                switch (time) {
                    case 1:
                        await(16);
                        break;
                }
            } catch (Exception error1) {
                if (!"thrown by the listener".equals(error1.getMessage()))
                    differs("the listener threw " + error1 + ", shown was", "no such");
                if (error1 instanceof RuntimeException) throw (RuntimeException) error1;
                throw new RuntimeException(error1);
            } finally {
                onCompletion2.ends();
            }
        }
        public void onException(Message message, Exception error) {
            int time = onException2.begins();
            print("onException of listener2, call " + time, error);
            onException2.ends();
        }
    };

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

    static final Set<Integer> PASSED = new HashSet<>();

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
        }
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
