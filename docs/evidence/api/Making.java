import jakarta.jms.*;
import java.util.*;

/** Sessions, contexts, consumers and browsers: what they make, tell, and refuse. See Api. */
class Making extends Api {
    public static void main(String[] args) throws Exception {
        ConnectionFactory factory = factory(args);
        Connection connection = factory.createConnection();
        connection.setClientID(fresh());
        connection.start();
        session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        consumers(factory);
        browsers();
        show("SESS-003", "unsubscribe(\"unknown\")", "InvalidDestinationException", () -> called(() -> session.unsubscribe("unknown")));
        for (String selector : new String[] {null, "n = 1"}) {
            String with = selector == null ? ": " : " with a selector: ";
            String said = "InvalidDestinationException";
            show("SESS-004", "null" + with + "createBrowser", said, () -> selector == null ? session.createBrowser(null) : session.createBrowser(null, selector));
            show("SESS-005", "null" + with + "createDurableConsumer", said, () -> selector == null ? session.createDurableConsumer(null, fresh()) : session.createDurableConsumer(null, fresh(), selector, false));
            show("SESS-006", "null" + with + "createSharedConsumer", said, () -> selector == null ? session.createSharedConsumer(null, fresh()) : session.createSharedConsumer(null, fresh(), selector));
            show("SESS-007", "null" + with + "createSharedDurableConsumer", said, () -> selector == null ? session.createSharedDurableConsumer(null, fresh()) : session.createSharedDurableConsumer(null, fresh(), selector));
            show("SESS-008", "null" + with + "createDurableSubscriber", said, () -> selector == null ? session.createDurableSubscriber(null, fresh()) : session.createDurableSubscriber(null, fresh(), selector, false));
        }
        connection.close();
        contexts(factory);
        System.exit(0);
    }

    static void consumers(ConnectionFactory factory) throws Exception {
        for (boolean topic : new boolean[] {false, true}) {
            show("CONS-001", (topic ? "topic" : "queue") + ": getMessageSelector of none, null, \"\", \"n = 1\"", "null, null, null, n = 1", () -> {
                Destination place = topic ? session.createTopic(fresh()) : session.createQueue(fresh());
                return seen(() -> session.createConsumer(place).getMessageSelector()) + ", " + seen(() -> session.createConsumer(place, null).getMessageSelector())
                        + ", " + seen(() -> session.createConsumer(place, "").getMessageSelector()) + ", " + seen(() -> session.createConsumer(place, "n = 1").getMessageSelector());
            });
            JMSContext context = factory.createContext();
            Destination place = topic ? context.createTopic(fresh()) : context.createQueue(fresh());
            show("JCONS-001", (topic ? "topic" : "queue") + ": the same of a JMSConsumer", "null, null, null, n = 1", () ->
                    seen(() -> context.createConsumer(place).getMessageSelector()) + ", " + seen(() -> context.createConsumer(place, null).getMessageSelector())
                            + ", " + seen(() -> context.createConsumer(place, "").getMessageSelector()) + ", " + seen(() -> context.createConsumer(place, "n = 1").getMessageSelector()));
            System.out.println("close() of its context: " + called(context::close));
        }
        show("JCONS-002", "receiveBodyNoWait(String.class) of an empty queue", "null", () -> {
            try (JMSContext context = factory.createContext()) {
                return context.createConsumer(context.createQueue(fresh())).receiveBodyNoWait(String.class);
            }
        });
        MessageConsumer closed = session.createConsumer(session.createQueue(fresh()));
        closed.close();
        show("CONS-002", "closed: getMessageSelector", "IllegalStateException", closed::getMessageSelector);
        show("CONS-002", "closed: getMessageListener", "IllegalStateException", closed::getMessageListener);
        show("CONS-002", "closed: setMessageListener", "IllegalStateException", () -> called(() -> closed.setMessageListener(message -> {})));
        show("CONS-002", "closed: receive(1)", "IllegalStateException", () -> closed.receive(1));
        show("CONS-002", "closed: receiveNoWait", "IllegalStateException", closed::receiveNoWait);
    }

    static void browsers() throws Exception {
        show("BRW-002", "getMessageSelector of none, null, \"\", \"n = 1\"", "null, null, null, n = 1", () -> {
            jakarta.jms.Queue queue = full(0);
            return seen(() -> session.createBrowser(queue).getMessageSelector()) + ", " + seen(() -> session.createBrowser(queue, null).getMessageSelector())
                    + ", " + seen(() -> session.createBrowser(queue, "").getMessageSelector()) + ", " + seen(() -> session.createBrowser(queue, "n = 1").getMessageSelector());
        });
        show("BRW-003", "empty: hasMoreElements, nextElement", "false NoSuchElementException", () -> {
            Enumeration<?> all = session.createBrowser(full(0)).getEnumeration();
            return all.hasMoreElements() + " " + seen(all::nextElement);
        });
        show("BRW-004", "of one: nextElement, hasMoreElements, nextElement", "1 false NoSuchElementException", () -> {
            Enumeration<?> all = session.createBrowser(full(1)).getEnumeration();
            return ((TextMessage) all.nextElement()).getText() + " " + all.hasMoreElements() + " " + seen(all::nextElement);
        });
        show("BRW-005", "of three: one read, then a new enumeration", "1, [1, 2, 3]", () -> {
            QueueBrowser browser = session.createBrowser(full(3));
            String first = ((TextMessage) browser.getEnumeration().nextElement()).getText();
            return first + ", " + texts(browser.getEnumeration());
        });
        show("BRW-005", "of three: all read, then a new enumeration", "[1, 2, 3] twice", () -> {
            QueueBrowser browser = session.createBrowser(full(3));
            return texts(browser.getEnumeration()) + ", " + texts(browser.getEnumeration());
        });
        QueueBrowser closed = session.createBrowser(full(1));
        closed.close();
        show("BRW-006", "closed: getQueue, getMessageSelector, getEnumeration", "IllegalStateException three times", () ->
                seen(() -> "answers " + (closed.getQueue() != null)) + ", " + seen(closed::getMessageSelector) + ", " + seen(() -> "answers " + (closed.getEnumeration() != null)));
    }

    static jakarta.jms.Queue full(int count) throws JMSException {
        jakarta.jms.Queue queue = session.createQueue(fresh());
        session.createConsumer(queue).close();
        MessageProducer producer = session.createProducer(queue);
        for (int i = 1; i <= count; i++) producer.send(session.createTextMessage("" + i));
        return queue;
    }

    static List<String> texts(Enumeration<?> all) throws JMSException {
        List<String> found = new ArrayList<>();
        while (all.hasMoreElements()) found.add(((TextMessage) all.nextElement()).getText());
        return found;
    }

    static void contexts(ConnectionFactory factory) {
        for (int mode : new int[] {-1, 4711}) {
            show("CF-001", "createContext(" + mode + ") of a factory", "JMSRuntimeException", () -> {
                try (JMSContext context = factory.createContext(mode)) {
                    return "made, mode " + context.getSessionMode();
                }
            });
            show("CTX-005", "createContext(" + mode + ") of a context", "JMSRuntimeException", () -> {
                try (JMSContext first = factory.createContext(); JMSContext context = first.createContext(mode)) {
                    return "made, mode " + context.getSessionMode();
                }
            });
        }
        JMSContext context = factory.createContext();
        context.setClientID(fresh());
        show("CTX-006", "unsubscribe(\"unknown\")", "InvalidDestinationRuntimeException", () -> called(() -> context.unsubscribe("unknown")));
        for (String selector : new String[] {null, "n = 1"}) {
            String with = selector == null ? ": " : " with a selector: ";
            String said = "InvalidDestinationRuntimeException";
            show("CTX-007", "null" + with + "createBrowser", said, () -> selector == null ? context.createBrowser(null) : context.createBrowser(null, selector));
            show("CTX-008", "null" + with + "createConsumer", said, () -> selector == null ? context.createConsumer(null) : context.createConsumer(null, selector));
            show("CTX-009", "null" + with + "createDurableConsumer", said, () -> selector == null ? context.createDurableConsumer(null, fresh()) : context.createDurableConsumer(null, fresh(), selector, false));
            show("CTX-010", "null" + with + "createSharedConsumer", said, () -> selector == null ? context.createSharedConsumer(null, fresh()) : context.createSharedConsumer(null, fresh(), selector));
            show("CTX-011", "null" + with + "createSharedDurableConsumer", said, () -> selector == null ? context.createSharedDurableConsumer(null, fresh()) : context.createSharedDurableConsumer(null, fresh(), selector));
        }
        Topic topic = context.createTopic(fresh());
        for (String selector : new String[] {"( )", "x = "}) {
            String of = "of a context, " + selector + ": ", said = "InvalidSelectorRuntimeException";
            show("JMS-SEL-039", of + "createSharedConsumer", said, () -> context.createSharedConsumer(topic, fresh(), selector));
            show("JMS-SEL-039", of + "createSharedDurableConsumer", said, () -> context.createSharedDurableConsumer(topic, fresh(), selector));
        }
        context.close();
        JMSContext closed = factory.createContext();
        jakarta.jms.Queue queue = closed.createQueue(fresh());
        closed.close();
        Map<String, Step> asked = new LinkedHashMap<>();
        asked.put("createMessage", closed::createMessage);
        asked.put("createBytesMessage", closed::createBytesMessage);
        asked.put("createMapMessage", closed::createMapMessage);
        asked.put("createObjectMessage", closed::createObjectMessage);
        asked.put("createStreamMessage", closed::createStreamMessage);
        asked.put("createTextMessage", () -> closed.createTextMessage("a"));
        asked.put("createQueue", () -> closed.createQueue("late"));
        asked.put("createTopic", () -> closed.createTopic("late"));
        asked.put("createTemporaryQueue", closed::createTemporaryQueue);
        asked.put("createTemporaryTopic", closed::createTemporaryTopic);
        asked.put("createContext", () -> closed.createContext(1));
        asked.put("start", () -> called(closed::start));
        asked.put("stop", () -> called(closed::stop));
        asked.put("commit", () -> called(closed::commit));
        asked.put("rollback", () -> called(closed::rollback));
        asked.put("recover", () -> called(closed::recover));
        asked.put("unsubscribe", () -> called(() -> closed.unsubscribe("late")));
        asked.put("getMetaData", closed::getMetaData);
        asked.put("getClientID", closed::getClientID);
        asked.put("createConsumer", () -> closed.createConsumer(queue));
        asked.put("createBrowser", () -> closed.createBrowser(queue));
        asked.forEach((name, step) -> show("CTX-012", "closed: " + name, "IllegalStateRuntimeException", step));
    }
}
