import jakarta.jms.*;
import java.util.concurrent.*;
import org.apache.qpid.jms.JmsConnectionFactory;

/**
 * Whether a receive() that waits on a stopped connection gets, once that is started again, what was sent meanwhile: one
 * that has a minute, beside one whose time is over before. Arguments: host and port.
 */
public class Restarted {
    private static final int TRIES = 6;

    public static void main(String[] args) throws Exception {
        ConnectionFactory factory = new JmsConnectionFactory("amqp://" + args[0] + ":" + args[1]);
        ExecutorService threads = Executors.newCachedThreadPool();
        int got = 0;
        for (int number = 0; number < TRIES; number++)
            try (Connection connection = factory.createConnection(); Connection other = factory.createConnection()) {
                Session sender = other.createSession();
                Queue awaited = sender.createQueue("awaited" + System.nanoTime());
                Future<Message> minute = receiving(threads, connection, awaited, 60_000);
                Future<Message> brief = receiving(threads, connection, sender.createQueue("q" + System.nanoTime()), 2000);
                connection.start();
                Thread.sleep(100);
                connection.stop();
                sender.createProducer(awaited).send(sender.createTextMessage("foo"));
                brief.get();
                connection.start();
                try {
                    minute.get(10, TimeUnit.SECONDS);
                    got++;
                } catch (TimeoutException still) {
                    System.out.println(number + ": receive(60000) waits 10 s after start(), though a message is there");
                }
            }
        System.out.println(got + " of " + TRIES + " got the message");
        System.exit(0);
    }

    private static Future<Message> receiving(ExecutorService threads, Connection on, Queue queue, long limit)
            throws Exception {
        MessageConsumer consumer = on.createSession(false, Session.CLIENT_ACKNOWLEDGE).createConsumer(queue);
        Future<Message> result = threads.submit(() -> consumer.receive(limit));
        Thread.sleep(50);
        return result;
    }
}
