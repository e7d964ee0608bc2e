package fake;

import jakarta.jms.*;
import java.io.*;
import java.lang.reflect.Proxy;
import java.net.Socket;

/** A client whose broker sends back each line, and so confirms it; WRONG names what it does wrong. */
public class Linked {
    static final String WRONG = "@WRONG@";

    private String host;
    private int port;
    private Socket link;
    private volatile boolean closed;

    interface Answers {
        Object to(String method, Object[] given) throws Exception;
    }

    @SuppressWarnings("unchecked")
    private static <T> T made(Class<T> kind, Answers answers) {
        return (T) Proxy.newProxyInstance(
            Linked.class.getClassLoader(), new Class<?>[] {kind}, (proxy, method, given) ->
                method.getName().equals("toString") ? kind.getSimpleName()
                    : answers.to(method.getName(), given));
    }

    public void setHost(String host) {
        this.host = host;
    }

    public void setPort(int port) {
        this.port = port;
    }

    public Session createSession() {
        return made(Session.class, (method, given) -> switch (method) {
            case "createQueue" -> made(Queue.class, (any, none) -> given[0]);
            case "createTextMessage" -> made(TextMessage.class, (any, none) -> null);
            case "createProducer" -> made(MessageProducer.class, this::produce);
            case "createConsumer" -> made(MessageConsumer.class, this::consume);
            case "commit" -> commit();
            case "close" -> close();
            default -> null;
        });
    }

    private Object commit() throws JMSException {
        try {
            return confirmed();
        } catch (IOException error) {
            if (WRONG.equals("tells another")) throw new JMSException("lost");
            throw new TransactionRolledBackException("lost");
        }
    }

    private synchronized Object confirmed() throws IOException {
        if (link == null) link = new Socket(host, port);
        link.getOutputStream().write('\n');
        if (link.getInputStream().read() != '\n') throw new EOFException("lost");
        return null;
    }

    private Object produce(String method, Object[] given) throws Exception {
        if (given.length == 1) {
            if (!WRONG.equals("returns early")) confirmed();
            return null;
        }
        Message message = (Message) given[0];
        CompletionListener listener = (CompletionListener) given[1];
        if (WRONG.equals("tells early")) new Thread(() -> listener.onCompletion(message)).start();
        else new Thread(() -> tell(message, listener)).start();
        return null;
    }

    private void tell(Message message, CompletionListener listener) {
        try {
            confirmed();
            listener.onCompletion(message);
        } catch (IOException error) {
            if (!WRONG.equals("falls silent")) listener.onException(message, error);
        }
    }

    private Object consume(String method, Object[] given) throws Exception {
        while (!closed || WRONG.equals("goes on")) Thread.sleep(20);
        return null;
    }

    private Object close() throws Exception {
        closed = true;
        while (WRONG.equals("hangs")) Thread.sleep(20);
        return null;
    }
}
