import jakarta.jms.*;
import java.util.*;

/**
 * What the programs share: a client's factory, which javac need not know, and a line for each call.
 * Their arguments: openmq, activemq, artemis, rabbitmq or qpid, the URL, user and password; or starlight, the URLs
 * of service and administration, and a token.
 *
 * javac -cp JARS -d classes *.java; java -cp classes:JARS Messages openmq mqtcp://HOST:PORT/jms guest guest
 *
 * For javax.jms say it in place of jakarta.jms in each file.
 */
class Api {
    static Session session;

    static ConnectionFactory factory(String[] given) throws Exception {
        switch (given[0]) {
            case "openmq": {
                Object made = made("com.sun.messaging.ConnectionFactory");
                String[] properties = {"imqAddressList", "imqDefaultUsername", "imqDefaultPassword"};
                for (int i = 0; i < properties.length; i++) {
                    made.getClass().getMethod("setProperty", String.class, String.class)
                            .invoke(made, properties[i], given[1 + i]);
                }
                return (ConnectionFactory) made;
            }
            case "rabbitmq": {
                Object made = made("com.rabbitmq.jms.admin.RMQConnectionFactory");
                var url = java.net.URI.create(given[1]);
                made.getClass().getMethod("setHost", String.class).invoke(made, url.getHost());
                made.getClass().getMethod("setPort", int.class).invoke(made, url.getPort());
                made.getClass().getMethod("setUsername", String.class).invoke(made, given[2]);
                made.getClass().getMethod("setPassword", String.class).invoke(made, given[3]);
                return (ConnectionFactory) made;
            }
            case "starlight": {
                Map<String, Object> settings = new HashMap<>(Map.of("brokerServiceUrl", given[1], "webServiceUrl", given[2], "enableTransaction", true));
                if (given.length > 3) {
                    settings.put("authPlugin", "org.apache.pulsar.client.impl.auth.AuthenticationToken");
                    settings.put("authParams", "token:" + given[3]);
                }
                return (ConnectionFactory) Class.forName("com.datastax.oss.pulsar.jms.PulsarConnectionFactory")
                        .getConstructor(Map.class).newInstance(settings);
            }
            case "artemis":
                return (ConnectionFactory) Class.forName("org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory")
                        .getConstructor(String.class, String.class, String.class)
                        .newInstance(given[1], given[2], given[3]);
            default: {
                String name = given[0].equals("qpid") ? "org.apache.qpid.jms.JmsConnectionFactory"
                        : "org.apache.activemq.ActiveMQConnectionFactory";
                return (ConnectionFactory) Class.forName(name)
                        .getConstructor(String.class, String.class, String.class)
                        .newInstance(given[2], given[3], given[1]);
            }
        }
    }

    private static Object made(String name) throws Exception {
        return Class.forName(name).getConstructor().newInstance();
    }

    static String fresh() {
        return "d" + UUID.randomUUID().toString().replace("-", "");
    }

    interface Step {
        Object take() throws Exception;
    }

    interface Call {
        void make() throws Exception;
    }

    /** Prints what a step gives or throws, and what the API's documentation says, or the specification (JMS-). */
    static void show(String id, String what, String said, Step step) {
        System.out.printf("%-15s %s: %s | %s%n", id.startsWith("JMS-") ? id : "API-" + id, what, seen(step), said);
    }

    static String seen(Step step) {
        try {
            return text(step.take());
        } catch (Throwable error) {
            String message = String.valueOf(error.getMessage()).replaceAll("(?s)\n.*", "");
            return error.getClass().getSimpleName() + " (" + message + ")";
        }
    }

    static String called(Call call) {
        return seen(() -> {
            call.make();
            return "taken";
        });
    }

    static String text(Object value) {
        if (!(value instanceof byte[])) return value instanceof String ? "\"" + value + "\"" : String.valueOf(value);
        byte[] bytes = (byte[]) value;
        String shown = HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, 12));
        return bytes.length + " bytes " + (bytes.length > 12 ? shown + "…" : shown);
    }

    /** The message as it arrives. */
    static Message passed(Message message) throws JMSException {
        jakarta.jms.Queue queue = session.createQueue(fresh());
        try (MessageConsumer consumer = session.createConsumer(queue); MessageProducer producer = session.createProducer(queue)) {
            producer.send(message);
            return consumer.receive(20_000);
        }
    }

    /** As it was made, or as it arrives. */
    static Message shown(String how, Message message) throws JMSException {
        return how.equals("fresh") ? message : passed(message);
    }
}
