import jakarta.jms.*;
import java.util.*;
import java.util.concurrent.*;

/** What acknowledge() of a context or of a message settles, and where it is ignored. See Api. */
class Settling extends Api {
    static ConnectionFactory factory;

    public static void main(String[] args) throws Exception {
        factory = factory(args);
        for (boolean ofContext : new boolean[] {true, false}) {
            String by = "acknowledge() of a " + (ofContext ? "context" : "message");
            for (int count : new int[] {1, 2}) {
                show("CTX-014", by + " behind 3 of 5, " + count + " consumer(s): left behind close()", "taken, [4, 5] of each", () -> received(ofContext, count, 1));
                show("CTX-014", by + " behind 3 of 5 and the fourth, " + count + " consumer(s): left", "taken, taken, [5] of each", () -> received(ofContext, count, 2));
            }
            show("CTX-014", by + " in the third of 5 callbacks: left behind close()", "taken, [4, 5]", () -> listened(ofContext));
        }
        show("CTX-015", "transacted: received, acknowledge(), rollback(), received", "[1, 2], taken, [1, 2]", () -> {
            try (JMSContext context = factory.createContext(JMSContext.SESSION_TRANSACTED)) {
                JMSConsumer consumer = context.createConsumer(full(2));
                List<String> first = some(consumer, 2);
                String called = called(context::acknowledge);
                context.rollback();
                List<String> again = some(consumer, 2);
                context.commit();
                return first + ", " + called + ", " + again;
            }
        });
        for (int mode : new int[] {JMSContext.AUTO_ACKNOWLEDGE, JMSContext.DUPS_OK_ACKNOWLEDGE}) {
            show("CTX-015", "mode " + mode + ": one received, acknowledge(), the other, acknowledge(): left", "[1], taken, [2], taken, []", () -> {
                Destination queue;
                String seen;
                try (JMSContext context = factory.createContext(mode)) {
                    queue = full(2);
                    JMSConsumer consumer = context.createConsumer(queue);
                    seen = some(consumer, 1) + ", " + called(context::acknowledge) + ", " + some(consumer, 1) + ", " + called(context::acknowledge);
                }
                return seen + ", " + left(queue);
            });
        }
        show("CTX-014", "two consumers of a session had 5 each, closed: a browser of the second's queue finds, a consumer gets", "[1, 2, 3, 4, 5] twice", () -> {
            List<Destination> queues = List.of(full(5), full(5));
            try (Connection connection = factory.createConnection()) {
                connection.start();
                Session two = connection.createSession(false, Session.CLIENT_ACKNOWLEDGE);
                for (Destination queue : queues) {
                    MessageConsumer consumer = two.createConsumer(queue);
                    for (int i = 0; i < 5; i++) consumer.receive(20_000);
                }
                two.close();
            }
            List<String> found = new ArrayList<>();
            try (JMSContext context = factory.createContext()) {
                for (Enumeration<?> all = context.createBrowser((jakarta.jms.Queue) queues.get(1)).getEnumeration(); all.hasMoreElements(); ) found.add(((TextMessage) all.nextElement()).getText());
            }
            return found + ", " + left(queues.get(1));
        });
        for (int count : new int[] {1, 2}) {
            JMSContext context = factory.createContext();
            for (int i = 0; i < count; i++) context.createConsumer(context.createQueue(fresh()));
            System.out.println("close() of a context with " + count + " consumer(s): " + called(context::close));
        }
        System.exit(0);
    }

    /** acknowledge() when each consumer has three, and with `calls` 2 again when it has the fourth; then the rest. */
    static String received(boolean ofContext, int count, int calls) throws Exception {
        List<String> seen = new ArrayList<>();
        List<Destination> queues = new ArrayList<>();
        JMSContext context = factory.createContext(JMSContext.CLIENT_ACKNOWLEDGE);
        List<JMSConsumer> consumers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            queues.add(full(5));
            consumers.add(context.createConsumer(queues.get(i)));
        }
        for (int call = 0; call < calls; call++) {
            Message last = null;
            for (JMSConsumer consumer : consumers) {
                for (int i = 0; i < (call == 0 ? 3 : 1); i++) last = consumer.receive(20_000);
            }
            Message settled = last;
            seen.add(called(() -> {
                if (ofContext) context.acknowledge();
                else settled.acknowledge();
            }));
        }
        for (JMSConsumer consumer : consumers) some(consumer, 3 - calls);
        for (JMSConsumer consumer : consumers) consumer.close();
        context.close();
        for (Destination queue : queues) seen.add(left(queue).toString());
        return String.join(", ", seen);
    }

    /** acknowledge() in the third callback of five. */
    static String listened(boolean ofContext) throws Exception {
        Destination queue = full(5);
        JMSContext context = factory.createContext(JMSContext.CLIENT_ACKNOWLEDGE);
        List<String> seen = new CopyOnWriteArrayList<>();
        CountDownLatch five = new CountDownLatch(5);
        context.setAutoStart(false);
        context.createConsumer(queue).setMessageListener(message -> {
            if (five.getCount() == 3) {
                seen.add(called(() -> {
                    if (ofContext) context.acknowledge();
                    else message.acknowledge();
                }));
            }
            five.countDown();
        });
        context.start();
        if (!five.await(20, TimeUnit.SECONDS)) seen.add(five.getCount() + " callbacks did not come");
        context.close();
        seen.add(left(queue).toString());
        return String.join(", ", seen);
    }

    /** A fresh queue of 1, 2 and so on. */
    static Destination full(int count) {
        try (JMSContext context = factory.createContext()) {
            jakarta.jms.Queue queue = context.createQueue(fresh());
            context.createConsumer(queue).close();
            for (int i = 1; i <= count; i++) context.createProducer().send(queue, "" + i);
            return queue;
        }
    }

    static List<String> some(JMSConsumer consumer, int count) throws JMSException {
        List<String> found = new ArrayList<>();
        for (int i = 0; i < count; i++) found.add(((TextMessage) consumer.receive(20_000)).getText());
        return found;
    }

    static List<String> left(Destination queue) throws JMSException {
        List<String> found = new ArrayList<>();
        try (JMSContext context = factory.createContext()) {
            JMSConsumer consumer = context.createConsumer(queue);
            for (Message next; (next = consumer.receive(3_000)) != null; ) found.add(((TextMessage) next).getText());
        }
        return found;
    }
}
