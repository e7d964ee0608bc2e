import jakarta.jms.*;
import java.util.*;
import java.util.concurrent.CopyOnWriteArrayList;

/** MessageProducer and JMSProducer: settings, properties, and what is refused. See Api. */
class Producers extends Api {
    public static void main(String[] args) throws Exception {
        ConnectionFactory factory = factory(args);
        Connection connection = factory.createConnection();
        connection.start();
        session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        plain(connection);
        try (JMSContext context = factory.createContext()) {
            simplified(context);
        }
        connection.close();
        System.exit(0);
    }

    static void plain(Connection connection) throws Exception {
        MessageProducer producer = session.createProducer(session.createQueue(fresh()));
        show("PROD-006", "setDeliveryDelay(1), getDeliveryDelay", "1", () -> {
            producer.setDeliveryDelay(1);
            long found = producer.getDeliveryDelay();
            producer.setDeliveryDelay(0);
            return found;
        });
        for (int mode : new int[] {-1, 0, 3})
            show("PROD-007", "setDeliveryMode(" + mode + "), getDeliveryMode", "JMSException 2", () -> {
                MessageProducer each = session.createProducer(session.createQueue(fresh()));
                return called(() -> each.setDeliveryMode(mode)) + " " + each.getDeliveryMode();
            });
        for (int priority : new int[] {-1, 10, 256})
            show("PROD-008", "setPriority(" + priority + "), getPriority", "JMSException 4", () -> {
                MessageProducer each = session.createProducer(session.createQueue(fresh()));
                return called(() -> each.setPriority(priority)) + " " + each.getPriority();
            });
        for (boolean bound : new boolean[] {true, false}) {
            String kind = bound ? "bound: " : "unbound: ";
            for (int mode : new int[] {-1, 0, 3})
                show("PROD-009", kind + "send with delivery mode " + mode + ", what came", "JMSException null", () -> sent(bound, mode, 4));
            for (int priority : new int[] {-1, 10})
                show("PROD-010", kind + "send with priority " + priority + ", what came", "JMSException null", () -> sent(bound, 2, priority));
            for (boolean with : new boolean[] {false, true}) {
                String how = kind + (with ? "with parameters" : "plain");
                show("PROD-011", how + ", send(null)", "MessageFormatException", () -> {
                    jakarta.jms.Queue queue = session.createQueue(fresh());
                    MessageProducer each = session.createProducer(bound ? queue : null);
                    return called(() -> send(each, bound ? null : queue, null, with, null));
                });
                show("PROD-012", how + ", send(null, listener), send(text, listener), the callbacks", "MessageFormatException, taken, 1", () -> {
                    Session own = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                    jakarta.jms.Queue queue = own.createQueue(fresh());
                    MessageProducer each = own.createProducer(bound ? queue : null);
                    List<String> told = new CopyOnWriteArrayList<>();
                    CompletionListener listener = new CompletionListener() {
                        public void onCompletion(Message message) {
                            told.add("completion " + (message != null));
                        }

                        public void onException(Message message, Exception error) {
                            told.add("exception " + error + (message == null ? " of null" : ""));
                        }
                    };
                    String found = called(() -> send(each, bound ? null : queue, null, with, listener)) + ", ";
                    found += called(() -> send(each, bound ? null : queue, own.createTextMessage("a"), with, listener));
                    own.close();
                    return found + ", " + told;
                });
            }
        }
        MessageProducer closed = session.createProducer(session.createQueue(fresh()));
        closed.close();
        Map<String, Step> asked = new LinkedHashMap<>();
        asked.put("getDestination", closed::getDestination);
        asked.put("getDeliveryMode", closed::getDeliveryMode);
        asked.put("getPriority", closed::getPriority);
        asked.put("getTimeToLive", closed::getTimeToLive);
        asked.put("getDeliveryDelay", closed::getDeliveryDelay);
        asked.put("getDisableMessageID", closed::getDisableMessageID);
        asked.put("getDisableMessageTimestamp", closed::getDisableMessageTimestamp);
        asked.put("setDeliveryMode", () -> called(() -> closed.setDeliveryMode(1)));
        asked.put("setPriority", () -> called(() -> closed.setPriority(5)));
        asked.put("setTimeToLive", () -> called(() -> closed.setTimeToLive(60_000)));
        asked.put("send", () -> called(() -> closed.send(session.createTextMessage("a"))));
        asked.forEach((name, step) -> show("PROD-014", "closed: " + name, "IllegalStateException", step));
    }

    static Object sent(boolean bound, int mode, int priority) throws JMSException {
        jakarta.jms.Queue queue = session.createQueue(fresh());
        try (MessageConsumer consumer = session.createConsumer(queue)) {
            MessageProducer producer = session.createProducer(bound ? queue : null);
            String found = called(() -> {
                if (bound) producer.send(session.createTextMessage("a"), mode, priority, 0);
                else producer.send(queue, session.createTextMessage("a"), mode, priority, 0);
            });
            Message message = consumer.receive(found.contains("taken") ? 10_000 : 500);
            if (message == null) return found + " null";
            return found + " mode " + message.getJMSDeliveryMode() + " priority " + message.getJMSPriority();
        }
    }

    static void send(MessageProducer producer, jakarta.jms.Queue queue, Message message, boolean with, CompletionListener listener) throws JMSException {
        if (listener == null) {
            if (with && queue == null) producer.send(message, 2, 7, 0);
            else if (with) producer.send(queue, message, 2, 7, 0);
            else if (queue == null) producer.send(message);
            else producer.send(queue, message);
        } else {
            if (with && queue == null) producer.send(message, 2, 7, 0, listener);
            else if (with) producer.send(queue, message, 2, 7, 0, listener);
            else if (queue == null) producer.send(message, listener);
            else producer.send(queue, message, listener);
        }
    }

    interface Put {
        void under(JMSProducer producer, String name);
    }

    interface Get {
        Object from(JMSProducer producer, String name);
    }

    static void simplified(JMSContext context) {
        show("JPROD-001", "setDisableMessageID(true) of a producer, getDisableMessageID of the next one", "false", () -> {
            context.createProducer().setDisableMessageID(true);
            return context.createProducer().getDisableMessageID();
        });
        show("JPROD-002", "setDisableMessageTimestamp(true), getDisableMessageTimestamp of the next one", "false", () -> {
            context.createProducer().setDisableMessageTimestamp(true);
            return context.createProducer().getDisableMessageTimestamp();
        });
        show("JPROD-003", "setDeliveryMode(NON_PERSISTENT), getDeliveryMode of the next one", "2", () -> {
            context.createProducer().setDeliveryMode(DeliveryMode.NON_PERSISTENT);
            return context.createProducer().getDeliveryMode();
        });
        show("JPROD-004", "setPriority(5), getPriority of the next one", "4", () -> {
            context.createProducer().setPriority(5);
            return context.createProducer().getPriority();
        });
        for (Object value : new Object[] {(byte) -1, (short) -1, -1, -1L, -1f, -1d, true, "a text"}) {
            show("JPROD-020", "setProperty of a " + value.getClass().getSimpleName() + ", class of getObjectProperty", "the same", () ->
                    context.createProducer().setProperty("p", value).getObjectProperty("p").getClass().getSimpleName());
            show("JPROD-020", "setProperty by its own method of a " + value.getClass().getSimpleName(), "the same", () -> {
                JMSProducer producer = context.createProducer();
                if (value instanceof Byte) producer.setProperty("p", (byte) value);
                else if (value instanceof Short) producer.setProperty("p", (short) value);
                else if (value instanceof Integer) producer.setProperty("p", (int) value);
                else if (value instanceof Long) producer.setProperty("p", (long) value);
                else if (value instanceof Float) producer.setProperty("p", (float) value);
                else if (value instanceof Double) producer.setProperty("p", (double) value);
                else if (value instanceof Boolean) producer.setProperty("p", (boolean) value);
                else producer.setProperty("p", (String) value);
                return producer.getObjectProperty("p").getClass().getSimpleName();
            });
        }
        show("JPROD-006", "setDeliveryDelay(1), getDeliveryDelay", "1", () -> context.createProducer().setDeliveryDelay(1).getDeliveryDelay());
        show("JPROD-007", "getAsync", "null", () -> context.createProducer().getAsync());
        show("JPROD-007", "setAsync(a listener), setAsync(null), getAsync", "null", () -> {
            CompletionListener listener = new CompletionListener() {
                @Override public void onCompletion(Message message) {}
                @Override public void onException(Message message, Exception error) {}
            };
            return context.createProducer().setAsync(listener).setAsync(null).getAsync();
        });
        for (int mode : new int[] {-1, 0, 3})
            show("JPROD-008", "setDeliveryMode(" + mode + ")", "JMSRuntimeException", () -> context.createProducer().setDeliveryMode(mode).getDeliveryMode());
        for (int priority : new int[] {-1, 10, 256})
            show("JPROD-009", "setPriority(" + priority + ")", "JMSRuntimeException", () -> context.createProducer().setPriority(priority).getPriority());
        Map<String, Put> puts = new LinkedHashMap<>();
        puts.put("JPROD-010 boolean", (producer, name) -> producer.setProperty(name, false));
        puts.put("JPROD-011 byte", (producer, name) -> producer.setProperty(name, (byte) -1));
        puts.put("JPROD-012 short", (producer, name) -> producer.setProperty(name, (short) -1));
        puts.put("JPROD-013 int", (producer, name) -> producer.setProperty(name, -1));
        puts.put("JPROD-014 long", (producer, name) -> producer.setProperty(name, -1L));
        puts.put("JPROD-015 float", (producer, name) -> producer.setProperty(name, 2f));
        puts.put("JPROD-016 double", (producer, name) -> producer.setProperty(name, 2d));
        puts.put("JPROD-017 String", (producer, name) -> producer.setProperty(name, "s"));
        puts.put("JPROD-018 null Object", (producer, name) -> producer.setProperty(name, (Object) null));
        puts.put("JPROD-018 Object", (producer, name) -> producer.setProperty(name, (Object) 1L));
        puts.forEach((what, put) -> show(what.substring(0, 9), what.substring(10) + " under null, under \"\", the names then", "IllegalArgumentException twice, []", () -> {
            JMSProducer producer = context.createProducer();
            String found = called(() -> put.under(producer, null)) + ", " + called(() -> put.under(producer, ""));
            return found + ", " + seen(() -> producer.getPropertyNames());
        }));
        show("JPROD-019", "setProperty(\"p\", a list), (\"p\", bytes), the names then", "MessageFormatRuntimeException twice, []", () -> {
            JMSProducer producer = context.createProducer();
            String found = called(() -> producer.setProperty("p", List.of(1))) + ", " + called(() -> producer.setProperty("p", (Object) new byte[] {1}));
            return found + ", " + producer.getPropertyNames();
        });
        Map<String, Get> gets = new LinkedHashMap<>();
        gets.put("JPROD-024 getBooleanProperty", JMSProducer::getBooleanProperty);
        gets.put("JPROD-025 getByteProperty", JMSProducer::getByteProperty);
        gets.put("JPROD-026 getShortProperty", JMSProducer::getShortProperty);
        gets.put("JPROD-027 getIntProperty", JMSProducer::getIntProperty);
        gets.put("JPROD-028 getLongProperty", JMSProducer::getLongProperty);
        gets.put("JPROD-029 getFloatProperty", JMSProducer::getFloatProperty);
        gets.put("JPROD-030 getDoubleProperty", JMSProducer::getDoubleProperty);
        Map<String, Object> values = new LinkedHashMap<>();
        for (Object each : new Object[] {true, (byte) 1, (short) 1, 1, 1L, 1f, 1d, "true", "7"})
            values.put(each.getClass().getSimpleName() + " " + each, each);
        gets.forEach((what, get) -> show(what.substring(0, 9), what.substring(10), "by the table; else MessageFormatRuntimeException, of texts NumberFormatException", () -> {
            List<String> found = new ArrayList<>();
            values.forEach((name, value) -> found.add(name + ": " + seen(() -> get.from(context.createProducer().setProperty("p", value), "p"))));
            return found;
        }));
        show("JPROD-033", "getStringProperty, getObjectProperty of no property", "null, null", () ->
                seen(() -> context.createProducer().getStringProperty("none")) + ", " + seen(() -> context.createProducer().getObjectProperty("none")));
        show("JPROD-035", "getJMSCorrelationIDAsBytes of none", "null", () -> context.createProducer().getJMSCorrelationIDAsBytes());
        Destination none = null;
        show("JPROD-038", "send(null, text)", "InvalidDestinationRuntimeException", () -> context.createProducer().send(none, "a"));
        show("JPROD-038", "send(null, map)", "InvalidDestinationRuntimeException", () -> context.createProducer().send(none, Map.of("k", (Object) 1)));
        show("JPROD-038", "send(null, bytes)", "InvalidDestinationRuntimeException", () -> context.createProducer().send(none, new byte[] {1}));
        show("JPROD-038", "send(null, object)", "InvalidDestinationRuntimeException", () -> context.createProducer().send(none, (java.io.Serializable) 1));
        show("JPROD-038", "send(null, message)", "InvalidDestinationRuntimeException", () -> context.createProducer().send(none, context.createTextMessage("a")));
        show("JPROD-039", "setProperty, send of a received message", "MessageNotWriteableRuntimeException", () -> {
            jakarta.jms.Queue queue = context.createQueue(fresh());
            JMSConsumer consumer = context.createConsumer(queue);
            context.createProducer().send(queue, "a");
            Message received = consumer.receive(10_000);
            return called(() -> context.createProducer().setProperty("p", 1).send(queue, received));
        });
    }
}
