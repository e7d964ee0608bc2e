import com.rabbitmq.jms.admin.RMQConnectionFactory;
import jakarta.jms.*;
import java.util.*;
import java.util.concurrent.*;

/** What RabbitMQ JMS does as shipped, and with the option named for it. Arguments: host and port, user and password if not guest. */
public class Defaults {
    static RMQConnectionFactory factory(String[] args) {
        RMQConnectionFactory made = new RMQConnectionFactory();
        made.setHost(args[0]);
        made.setPort(Integer.parseInt(args[1]));
        if (args.length > 2) {
            made.setUsername(args[2]);
            made.setPassword(args[3]);
        }
        return made;
    }

    public static void main(String[] args) throws Exception {
        for (int limit : new int[] {0, 60_000}) {
            RMQConnectionFactory factory = factory(args);
            if (limit > 0) factory.setOnMessageTimeoutMs(limit);
            System.out.println("-- listener's limit " + (limit > 0 ? limit + " ms" : "as shipped"));
            System.out.println("3 s for the first of three: " + slow(factory));
        }
        System.out.println("-- as shipped");
        System.out.println("stop() in a listener, then handed: " + stopping(factory(args)));
        System.out.println("close() of its consumer in a listener, then handed: " + closing(factory(args)));
        System.out.println("send elsewhere: " + elsewhere(factory(args)));
        for (int length : new int[] {40_000, 65_535, 65_536, 100_000})
            System.out.println("property of " + length + ": " + property(factory(args), length));
        for (boolean declared : new boolean[] {true, false}) {
            RMQConnectionFactory factory = factory(args);
            factory.setDeclareReplyToDestination(declared);
            System.out.println("reply, declareReplyToDestination=" + declared + ": " + reply(factory));
        }
        System.exit(0);
    }

    static jakarta.jms.Queue full(Session session, int count) throws JMSException {
        jakarta.jms.Queue queue = session.createQueue("q" + UUID.randomUUID());
        MessageProducer producer = session.createProducer(queue);
        for (int n = 1; n <= count; n++) producer.send(session.createTextMessage("message-" + n));
        return queue;
    }

    static String slow(ConnectionFactory factory) throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        Connection connection = factory.createConnection();
        connection.start();
        Session session = connection.createSession();
        jakarta.jms.Queue queue = full(session, 3);
        connection.createSession().createConsumer(queue).setMessageListener(message -> {
            String text = text(message);
            try {
                if (seen.isEmpty()) Thread.sleep(3000);
                seen.add(text);
            } catch (InterruptedException error) {
                seen.add(text + " interrupted");
            }
        });
        Thread.sleep(8000);
        Connection other = factory.createConnection();
        other.start();
        MessageConsumer rest = other.createSession().createConsumer(queue);
        List<String> left = new ArrayList<>();
        for (Message m = rest.receive(1000); m != null; m = rest.receive(1000)) left.add(text(m));
        return "handed " + seen + ", left for another " + left;
    }

    static String stopping(ConnectionFactory factory) throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        Connection connection = factory.createConnection();
        connection.start();
        jakarta.jms.Queue queue = full(connection.createSession(), 2);
        connection.createSession().createConsumer(queue).setMessageListener(message -> {
            boolean first = seen.isEmpty();
            seen.add(text(message));
            if (first) seen.add(outcome(connection::stop));
        });
        Thread.sleep(6000);
        return seen.toString();
    }

    static String closing(ConnectionFactory factory) throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        Connection connection = factory.createConnection();
        connection.start();
        jakarta.jms.Queue queue = full(connection.createSession(), 3);
        MessageConsumer consumer = connection.createSession().createConsumer(queue);
        consumer.setMessageListener(message -> {
            boolean first = seen.isEmpty();
            seen.add(text(message));
            if (first) seen.add(outcome(consumer::close));
        });
        Thread.sleep(6000);
        return seen.toString();
    }

    static String elsewhere(ConnectionFactory factory) throws Exception {
        Session session = factory.createConnection().createSession();
        MessageProducer producer = session.createProducer(full(session, 0));
        Destination other = full(session, 0);
        return outcome(() -> producer.send(other, session.createTextMessage("m")));
    }

    static String property(ConnectionFactory factory, int length) throws Exception {
        Connection connection = factory.createConnection();
        connection.start();
        Session session = connection.createSession();
        jakarta.jms.Queue queue = full(session, 0);
        TextMessage message = session.createTextMessage("m");
        message.setStringProperty("p", "x".repeat(length));
        String sent = outcome(() -> session.createProducer(queue).send(message));
        if (!sent.equals("came back")) return sent;
        String[] got = new String[1];
        String received = outcome(() -> {
            Message m = session.createConsumer(queue).receive(3000);
            got[0] = m == null ? "no message" : m.getStringProperty("p") == null ? "null" : "of " + m.getStringProperty("p").length();
        });
        return got[0] == null ? received : got[0];
    }

    static String reply(ConnectionFactory factory) throws Exception {
        Connection asking = factory.createConnection(), answering = factory.createConnection();
        asking.start();
        answering.start();
        Session session = asking.createSession(), other = answering.createSession();
        TemporaryQueue replies = session.createTemporaryQueue();
        MessageConsumer consumer = session.createConsumer(replies);
        jakarta.jms.Queue queue = full(session, 0);
        TextMessage question = session.createTextMessage("question");
        question.setJMSReplyTo(replies);
        session.createProducer(queue).send(question);
        Message asked = other.createConsumer(queue).receive(3000);
        String sent = outcome(() -> other.createProducer(asked.getJMSReplyTo()).send(other.createTextMessage("answer")));
        Message answer = consumer.receive(3000);
        return sent + ", received " + (answer == null ? "nothing" : text(answer));
    }

    interface Call { void run() throws Exception; }

    static String outcome(Call call) {
        long begun = System.nanoTime();
        try { call.run(); } catch (Exception error) { return error.getClass().getSimpleName() + ": " + error.getMessage(); }
        return System.nanoTime() - begun > 1_500_000_000L ? "came back late" : "came back";
    }

    static String text(Message message) {
        try { return ((TextMessage) message).getText(); } catch (JMSException error) { return error.toString(); }
    }
}
