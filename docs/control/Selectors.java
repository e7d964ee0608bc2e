import jakarta.jms.*;
import java.util.Map;

/** Which selectors are taken, and whether they choose a message with these properties. */
class Selectors {
    static JMSContext context;

    public static void main(String[] args) throws Exception {
        context = Control.at(args[0]).createContext();
        System.out.println("-- NULL: no x, no q, no JMSType");
        chooses("NOT (x = 1)", "none", Map.of());
        chooses("q <> 'a'", "none", Map.of());
        chooses("x NOT BETWEEN 15 AND 19", "none", Map.of());
        chooses("NOT (q LIKE 'a')", "none", Map.of());
        chooses("q NOT LIKE 'a'", "none", Map.of());
        chooses("JMSType <> 'a'", "none", Map.of());
        chooses("x > 4 OR NOT q = 'a'", "none", Map.of());
        chooses("b AND (x > 4 OR b)", "it", Map.of("b", true));
        System.out.println("-- unlike types, and division by zero");
        chooses("s <> 'a'", "none", Map.of("s", true));
        chooses("n = '2'", "none", Map.of("n", 2));
        chooses("n > 1", "none", Map.of("n", "2"));
        chooses("n = 2", "none", Map.of("n", "2"));
        chooses("b = TRUE OR n / 0 = 1", "none", Map.of("b", false, "n", 1));
        System.out.println("-- the empty text");
        chooses("s LIKE 'a%'", "none", Map.of("s", ""));
        chooses("s LIKE '_'", "none", Map.of("s", ""));
        chooses("s LIKE '%'", "it", Map.of("s", ""));
        chooses("s = ''", "it", Map.of("s", ""));
        System.out.println("-- to be refused");
        for (String bad : BAD) {
            chooses(bad, "InvalidSelectorException", Map.of("x", 1, "s", "a"));
        }
        context.close();
    }

    static final String[] BAD = {
        "x =", "(x = 1", "x LIKE 5", "x IN ()", "x + 1", "s IN ('a',)", "NULL IS NULL", "TRUE IN ('a')",
        "FALSE LIKE 'a'", "s LIKE 'a' ESCAPE '!!'",
        "s = 'a' AND s LIKE", "s = 'a' AND s LIKE 'a!%' ESCAPE", "s = 'a' AND s IN ()", "s = 'a' AND s IN ('a',)",
    };

    static void chooses(String selector, String said, Map<String, Object> properties) {
        Topic topic = context.createTopic(Control.fresh());
        Control.show(selector, said, () -> {
            try (JMSConsumer consumer = context.createConsumer(topic, selector)) {
                JMSProducer producer = context.createProducer();
                properties.forEach((name, value) -> producer.setProperty(name, value));
                producer.send(topic, "it");
                return consumer.receive(500) == null ? "none" : "it";
            }
        });
    }
}
