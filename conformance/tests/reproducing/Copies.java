package fake;

import jakarta.jms.*;
import java.lang.reflect.Proxy;
import java.util.*;

/** A client that sends a copy of any message, read by its interface; WRONG names what it does wrong. */
public class Copies {
    static final String WRONG = "@WRONG@";

    private final Deque<Message> sent = new ArrayDeque<>();

    interface Answers {
        Object to(String method, Object[] given) throws Exception;
    }

    @SuppressWarnings("unchecked")
    private static <T> T made(Class<T> kind, Answers answers) {
        return (T) Proxy.newProxyInstance(
            Copies.class.getClassLoader(), new Class<?>[] {kind}, (proxy, method, given) ->
                method.getName().equals("toString") ? kind.getSimpleName()
                    : answers.to(method.getName(), given));
    }

    public Session createSession() {
        return made(Session.class, (method, given) -> switch (method) {
            case "createQueue" -> made(jakarta.jms.Queue.class, (any, none) -> given[0]);
            case "createProducer" -> made(MessageProducer.class, (any, message) -> send(message[0]));
            case "createConsumer" -> made(MessageConsumer.class, (any, none) -> sent.poll());
            default -> null;
        });
    }

    private Object send(Object message) throws JMSException {
        Map<String, Object> properties = new HashMap<>();
        TextMessage given = (TextMessage) message;
        for (Enumeration<?> names = given.getPropertyNames(); names.hasMoreElements(); ) {
            String name = (String) names.nextElement();
            try {
                properties.put(name, given.getObjectProperty(name));
            } catch (MessageFormatException error) {
                if (WRONG.equals("refuses")) throw error;
            }
        }
        String text = given.getText();
        String id = WRONG.equals("forgets") ? null : given.getJMSCorrelationID();
        int number = given.getIntProperty("number");
        sent.add(made(TextMessage.class, (method, asked) -> switch (method) {
            case "getText" -> text;
            case "getJMSCorrelationID" -> id;
            case "getIntProperty" -> number;
            case "propertyExists" -> properties.containsKey(asked[0]);
            default -> null;
        }));
        return null;
    }
}
