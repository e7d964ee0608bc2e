import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.jms.admin.RMQConnectionFactory;
import jakarta.jms.*;
import java.io.ByteArrayOutputStream;
import java.io.ObjectOutputStream;
import java.util.*;
import java.util.concurrent.*;

/**
 * Messages that RabbitMQ JMS 3.7.0 cannot read, sent by RabbitMQ's own client: a text whose size is -1, one of another
 * class, and one whose priority, delivery mode and reply destination are of other types. Of three messages in a queue,
 * a good one, the damaged one, and another good one, what an application gets. Arguments: host, port, user, password.
 */
public class Damaged {
    private static final String TEXT = "com.rabbitmq.jms.client.message.RMQTextMessage";
    private static RMQConnectionFactory factory;
    private static com.rabbitmq.client.Connection amqp;

    public static void main(String[] args) throws Exception {
        factory = new RMQConnectionFactory();
        factory.setHost(args[0]);
        factory.setPort(Integer.parseInt(args[1]));
        factory.setUsername(args[2]);
        factory.setPassword(args[3]);
        var plain = new com.rabbitmq.client.ConnectionFactory();
        plain.setHost(args[0]);
        plain.setPort(Integer.parseInt(args[1]));
        plain.setUsername(args[2]);
        plain.setPassword(args[3]);
        amqp = plain.newConnection();
        for (String kind : new String[] {"size", "class"}) {
            System.out.println("-- " + (kind.equals("size") ? "a size of -1" : "another class"));
            System.out.println("receive(): " + received(kind));
            System.out.println("JMSConsumer.receive(): " + receivedByContext(kind));
            System.out.println("listener: " + listened(kind));
            System.out.println("browser: " + browsed(kind));
        }
        System.out.println("-- headers of other types");
        System.out.println(headers());
        System.exit(0);
    }

    /** A queue that JMS has declared, with a good message, a damaged one, and a good one. */
    static String full(String kind) throws Exception {
        String name = "d" + UUID.randomUUID();
        try (Connection connection = factory.createConnection(); Session session = connection.createSession()) {
            session.createProducer(session.createQueue(name)).close();
            session.createConsumer(session.createQueue(name)).close();
        }
        try (Channel channel = amqp.createChannel()) {
            for (String each : new String[] {"good", kind, "good"})
                channel.basicPublish("", name, new AMQP.BasicProperties(), body(each));
        }
        return name;
    }

    static byte[] body(String kind) throws Exception {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ObjectOutputStream(bytes)) {
            out.writeUTF(kind.equals("class") ? "java.lang.String" : TEXT);
            out.writeUTF("ID:" + UUID.randomUUID());
            String[] names = {"rmq.jms.message.priority", "rmq.jms.message.delivery.mode", "rmq.jms.message.reply.to"};
            out.writeInt(kind.equals("headers") ? names.length : 0);
            for (String name : kind.equals("headers") ? names : new String[0]) {
                out.writeUTF(name);
                out.writeByte(8); // a text
                out.writeUTF("x");
            }
            out.writeInt(0);
            out.writeBoolean(false);
            byte[] text = kind.getBytes("UTF-8");
            out.writeInt(kind.equals("size") ? -1 : text.length);
            out.write(text);
        }
        return bytes.toByteArray();
    }

    static String received(String kind) throws Exception {
        String name = full(kind);
        List<String> got = new ArrayList<>();
        try (Connection connection = factory.createConnection(); Session session = connection.createSession()) {
            connection.start();
            MessageConsumer consumer = session.createConsumer(session.createQueue(name));
            for (int i = 0; i < 3; i++) got.add(seen(() -> consumer.receive(3_000)));
        }
        return got + left(name);
    }

    static String receivedByContext(String kind) throws Exception {
        String name = full(kind);
        List<String> got = new ArrayList<>();
        try (JMSContext context = factory.createContext()) {
            JMSConsumer consumer = context.createConsumer(context.createQueue(name));
            for (int i = 0; i < 3; i++) got.add(seen(() -> consumer.receive(3_000)));
        }
        return got + left(name);
    }

    static String listened(String kind) throws Exception {
        String name = full(kind);
        List<String> got = new CopyOnWriteArrayList<>();
        String next;
        try (Connection connection = factory.createConnection(); Session session = connection.createSession()) {
            session.createConsumer(session.createQueue(name)).setMessageListener(message -> got.add(seen(() -> message)));
            connection.start();
            Thread.sleep(3_000);
            next = seen(() -> {
                session.createConsumer(session.createQueue(full("good"))).close();
                return null;
            });
        }
        return got + ", then createConsumer(): " + next + left(name);
    }

    static String browsed(String kind) throws Exception {
        String name = full(kind);
        List<String> got = new ArrayList<>();
        long start = System.nanoTime();
        try (Connection connection = factory.createConnection(); Session session = connection.createSession()) {
            connection.start();
            QueueBrowser browser = session.createBrowser(session.createQueue(name));
            Enumeration<?> all = browser.getEnumeration();
            while (all.hasMoreElements()) got.add(seen(() -> (Message) all.nextElement()));
        }
        return got + " in " + (System.nanoTime() - start) / 1_000_000_000 + " s";
    }

    static String headers() throws Exception {
        String name = full("headers");
        try (Connection connection = factory.createConnection(); Session session = connection.createSession()) {
            connection.start();
            MessageConsumer consumer = session.createConsumer(session.createQueue(name));
            consumer.receive(3_000);
            Message message = consumer.receive(3_000);
            return "getJMSPriority(): " + text(message::getJMSPriority) + "\ngetJMSDeliveryMode(): " + text(message::getJMSDeliveryMode)
                    + "\ngetJMSReplyTo(): " + text(message::getJMSReplyTo);
        }
    }

    /** What another consumer gets then, with JMSRedelivered. */
    static String left(String name) throws Exception {
        List<String> got = new ArrayList<>();
        try (Connection connection = factory.createConnection(); Session session = connection.createSession()) {
            connection.start();
            MessageConsumer consumer = session.createConsumer(session.createQueue(name));
            for (int i = 0; i < 3; i++) {
                String each = seen(() -> consumer.receive(1_000));
                if (!each.equals("null")) got.add(each);
            }
        }
        return ", another consumer then: " + got;
    }

    static String seen(Callable<Message> step) {
        return text(() -> {
            Message message = step.call();
            return message == null ? null : message.getBody(String.class) + (message.getJMSRedelivered() ? " (redelivered)" : "");
        });
    }

    static String text(Callable<?> step) {
        try {
            return String.valueOf(step.call());
        } catch (Throwable error) {
            return error.getClass().getName() + ": " + String.valueOf(error.getMessage()).replaceAll("(?s)\n.*", "");
        }
    }
}
