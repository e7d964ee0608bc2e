package fake;

import jakarta.jms.*;
import java.lang.reflect.Proxy;
import java.util.*;
import java.util.concurrent.*;

/** A client in memory, whose factory is its connection, too, with one queue; WRONG names what it does wrong. */
public class Factory {
    static final String WRONG = "@WRONG@";

    private final BlockingDeque<Map<String, Object>> messages = new LinkedBlockingDeque<>();
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private MessageListener listener;
    private int called;

    interface Answers {
        Object to(String method, Object[] given) throws Exception;
    }

    @SuppressWarnings("unchecked")
    private static <T> T made(Class<T> kind, Answers answers) {
        ClassLoader loader = Factory.class.getClassLoader();
        return (T) Proxy.newProxyInstance(loader, new Class<?>[] {kind}, (proxy, method, given) ->
            method.getName().equals("toString") ? kind.getSimpleName()
                : answers.to(method.getName(), given));
    }

    public Session createSession() {
        return made(Session.class, (method, given) -> switch (method) {
            case "createQueue" -> made(jakarta.jms.Queue.class, (any, none) -> given[0]);
            case "createTextMessage" -> message(new HashMap<>(Map.of("text", given[0])));
            case "createProducer" -> made(MessageProducer.class, this::produce);
            case "createConsumer" -> made(MessageConsumer.class, this::consume);
            case "recover" -> throw WRONG.equals("refuses")
                ? new JMSException("refused") : new jakarta.jms.IllegalStateException("refused");
            default -> null;
        });
    }

    interface Held extends TextMessage {
        Map<String, Object> map();
    }

    private Held message(Map<String, Object> map) {
        return made(Held.class, (method, given) -> switch (method) {
            case "map" -> map;
            case "setIntProperty" -> map.put((String) given[0], given[1]);
            case "getIntProperty" -> map.get(given[0]);
            case "propertyExists" -> map.containsKey(given[0]);
            case "getText" -> map.get("text");
            default -> null;
        });
    }

    private Object produce(String method, Object[] given) {
        Map<String, Object> map = ((Held) given[0]).map();
        if (listener != null) thread.submit(() -> call(map));
        else if (WRONG.equals("turns round")) messages.addFirst(map);
        else messages.addLast(map);
        return null;
    }

    private void call(Map<String, Object> map) {
        if (called++ == 0 || !WRONG.equals("falls silent")) listener.onMessage(message(map));
    }

    private Object consume(String method, Object[] given) throws Exception {
        if (method.equals("setMessageListener")) {
            listener = (MessageListener) given[0];
            return null;
        }
        Map<String, Object> map = messages.poll((long) given[0], TimeUnit.MILLISECONDS);
        return map == null ? null : message(map);
    }
}
