import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/**
 * Consumers of Artemis' own client 2.55.0 on Artemis 2.55.0: java -cp JARS Consumers.java tcp://HOST:PORT, with the jars
 * of artemis-2.55.0.lock. It prints, the last lines with other numbers each time, and not always,
 *
 * rolled back: 2 4; another consumer got: 1 3 5 7 9 11 13 15 17 19 2 4 6 8 10 12 14 16 18 20
 * ?consumerWindowSize=0 rolled back: 1 2; another consumer got: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
 * receiveBody(Map): jakarta.jms.MessageFormatRuntimeException: Body not assignable to interface java.util.Map
 * then receive(): second null
 * receiveBody(String) of a stream and of a text message without a text: null, null
 * behind a listener that closed its consumer in message 1: 1 2
 * unsubscribe() with an unacknowledged message: returns
 * createDurableConsumer() of an idle shared subscription: returns
 * createSharedDurableConsumer() of an unshared subscription with a consumer: returns
 * createSharedDurableConsumer() of an idle unshared subscription: returns
 * createSharedDurableConsumer() of an idle one with another selector: jakarta.jms.JMSException: AMQ229083: Queue …
 * recover(): message 2 came for the first time with count 2
 * recover() with message 35 unsettled: next is 162
 * recover(): message 180 came again behind its acknowledge()
 * ?consumerWindowSize=0 recover() with message 3 unsettled: next is 4
 *
 * and the broker's log then has AMQ229027: Could not find reference on consumer.
 */
class Consumers {
    public static void main(String[] args) throws Exception {
        rollback(args[0], "");
        rollback(args[0], "?consumerWindowSize=0");
        try (var factory = new ActiveMQConnectionFactory(args[0]); Connection connection = factory.createConnection()) {
            try (JMSContext context = factory.createContext()) {
                bodies(context);
            }
            connection.setClientID("c" + UUID.randomUUID());
            connection.start();
            closing(connection);
            subscriptions(connection.createSession(Session.CLIENT_ACKNOWLEDGE));
        }
        recover(args[0], "");
        recover(args[0], "?consumerWindowSize=0");
    }

    static void rollback(String url, String option) throws JMSException {
        try (var factory = new ActiveMQConnectionFactory(url + option); Connection connection = factory.createConnection()) {
            connection.start();
            Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
            Queue queue = fresh(session);
            MessageConsumer other = connection.createSession().createConsumer(queue), own = session.createConsumer(queue);
            send(connection.createSession(), queue, 20);
            String back = text(own) + " " + text(own), share = "";
            session.rollback();
            for (String text; (text = text(other)) != null; ) share += " " + text;
            System.out.println(option + " rolled back: " + back + "; another consumer got:" + share);
        }
    }

    static void bodies(JMSContext context) throws JMSException {
        Queue queue = context.createTemporaryQueue();
        JMSConsumer consumer = context.createConsumer(queue);
        context.createProducer().send(queue, "first").send(queue, "second");
        shows("receiveBody(Map)", () -> consumer.receiveBody(Map.class, 2000));
        System.out.println("then receive(): " + ((TextMessage) consumer.receive(2000)).getText() + " " + consumer.receive(1000));
        context.createProducer().send(queue, context.createStreamMessage()).send(queue, context.createTextMessage());
        System.out.println("receiveBody(String) of a stream and of a text message without a text: "
            + consumer.receiveBody(String.class, 2000) + ", " + consumer.receiveBody(String.class, 2000));
    }

    static void closing(Connection connection) throws Exception {
        Session session = connection.createSession();
        Queue queue = fresh(session);
        MessageConsumer consumer = session.createConsumer(queue);
        CountDownLatch closed = new CountDownLatch(1);
        consumer.setMessageListener(message -> {
            shows(null, consumer::close);
            closed.countDown();
        });
        Session other = connection.createSession();
        send(other, queue, 2);
        closed.await();
        MessageConsumer rest = other.createConsumer(queue);
        System.out.println("behind a listener that closed its consumer in message 1: " + text(rest) + " " + text(rest));
    }

    static void subscriptions(Session session) throws JMSException {
        Topic topic = session.createTopic("t" + UUID.randomUUID());
        MessageConsumer consumer = session.createDurableConsumer(topic, "s");
        session.createProducer(topic).send(session.createTextMessage("unsettled"));
        text(consumer);
        consumer.close();
        shows("unsubscribe() with an unacknowledged message", () -> session.unsubscribe("s"));
        session.createSharedDurableConsumer(topic, "shared").close();
        shows("createDurableConsumer() of an idle shared subscription", () -> session.createDurableConsumer(topic, "shared").close());
        MessageConsumer open = session.createDurableConsumer(topic, "unshared");
        shows("createSharedDurableConsumer() of an unshared subscription with a consumer", () -> session.createSharedDurableConsumer(topic, "unshared").close());
        open.close();
        shows("createSharedDurableConsumer() of an idle unshared subscription", () -> session.createSharedDurableConsumer(topic, "unshared").close());
        session.createSharedDurableConsumer(topic, "selecting", "n = 1").close();
        shows("createSharedDurableConsumer() of an idle one with another selector", () -> session.createSharedDurableConsumer(topic, "selecting", "n = 2").close());
    }

    static void recover(String url, String option) throws JMSException {
        try (var factory = new ActiveMQConnectionFactory(url + option); Connection connection = factory.createConnection()) {
            connection.start();
            Session session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
            Queue queue = fresh(session);
            send(connection.createSession(), queue, 200);
            MessageConsumer consumer = session.createConsumer(queue);
            Set<String> acknowledged = new HashSet<>();
            boolean counted = false, other = false;
            for (TextMessage first; (first = (TextMessage) consumer.receive(1000)) != null; ) {
                if (acknowledged.contains(first.getText())) {
                    System.out.println(option + " recover(): message " + first.getText() + " came again behind its acknowledge()");
                    return;
                }
                int count = first.getIntProperty("JMSXDeliveryCount");
                if (count != 1 && !counted) System.out.println(option + " recover(): message " + first.getText() + " came for the first time with count " + count);
                counted |= count != 1;
                session.recover();
                TextMessage next = (TextMessage) consumer.receive(5000);
                if (next == null) return;
                if (!next.getText().equals(first.getText()) && !other) System.out.println(option + " recover() with message " + first.getText() + " unsettled: next is " + next.getText());
                other |= !next.getText().equals(first.getText());
                next.acknowledge();
                acknowledged.add(next.getText());
            }
        }
    }

    static Queue fresh(Session session) throws JMSException {
        return session.createQueue("q" + UUID.randomUUID());
    }

    static void send(Session session, Queue queue, int count) throws JMSException {
        MessageProducer producer = session.createProducer(queue);
        for (int i = 1; i <= count; i++) producer.send(session.createTextMessage("" + i));
    }

    static String text(MessageConsumer consumer) throws JMSException {
        Message message = consumer.receive(1000);
        return message == null ? null : ((TextMessage) message).getText();
    }

    interface Act { void act() throws JMSException; }

    static void shows(String what, Act act) {
        Object outcome = "returns";
        try {
            act.act();
        } catch (JMSException | RuntimeException e) {
            outcome = e;
        }
        if (what != null) System.out.println(what + ": " + outcome);
    }
}
