import jakarta.jms.*;
import java.util.*;

/** What the settings of ActiveMQ Classic's client change: which values and which objects it takes. Argument: a URL. */
public class Settings {
    public static void main(String[] args) throws Exception {
        for (String option : new String[] {"", "jms.strictCompliance=true", "jms.nestedMapAndListEnabled=false", "jms.trustAllPackages=true"}) {
            String url = args[0] + (option.isEmpty() ? "" : (args[0].contains("?") ? "&" : "?") + option);
            ConnectionFactory factory = new org.apache.activemq.ActiveMQConnectionFactory(url);
            try (Connection connection = factory.createConnection()) {
                connection.start();
                Session session = connection.createSession();
                System.out.println("-- " + (option.isEmpty() ? "as shipped" : option));
                MapMessage map = session.createMapMessage();
                for (Object value : new Object[] {'c', List.of(1), Map.of("a", 1), new java.util.Date()}) {
                    String kind = value.getClass().getSimpleName();
                    System.out.println("property " + kind + ": " + outcome(() -> map.setObjectProperty("p", value)));
                    System.out.println("map item " + kind + ": " + outcome(() -> map.setObject("i", value)));
                }
                jakarta.jms.Queue queue = session.createTemporaryQueue();
                MessageConsumer consumer = session.createConsumer(queue);
                for (java.io.Serializable body : new java.io.Serializable[] {"text", new ArrayList<>(List.of("a")), new HashMap<>(Map.of("a", 1)), new Date(0)}) {
                    session.createProducer(queue).send(session.createObjectMessage(body));
                    ObjectMessage got = (ObjectMessage) consumer.receive(5000);
                    System.out.println("object " + body.getClass().getName() + ": " + outcome(() -> got.getObject()));
                }
            }
        }
    }

    interface Call { void run() throws Exception; }

    static String outcome(Call call) {
        try { call.run(); return "taken"; }
        catch (Exception error) { return error.getClass().getSimpleName() + ": " + error.getMessage(); }
    }
}
